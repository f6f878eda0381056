"""What the suite finds in the guest: the way it is run, and radios in place of those of mac80211_hwsim.

In the guest there is nothing else of airtcp: these modules need Debian's Python, each other, and those of
`mininet.guest`.
"""
