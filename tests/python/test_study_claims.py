"""What claims compute, over made-up numbers."""

import pytest
from airtcp.errors import AirtcpError
from airtcp.studies.claims import check_claims, judge_claims
from support.small_study import made_up, small_study

CLAIM = """
[[claim]]
id = "it"
place = "4"
sentence = "It is so"
paper = "so"
tolerance = "none"
reason = "An order has none."
part = "main"
metric = "rtt"
"""


def numbers(levels, seed):
    """Reno 20 and 80 ms, CUBIC 25 and 100, Vegas 4 and 4."""
    own = {"reno": (20, 80), "cubic": (25, 100), "vegas": (4, 4), "bbr": (9, 9)}[levels["cca"]]
    return float(own[levels["queue"] == "100 packets"]) + (seed - 1)


def find(tmp_path, text, seeds=(1,), number=numbers):
    study = small_study(tmp_path / "small", claims=CLAIM + text)
    check_claims(study)
    ((_, finding),) = judge_claims(made_up(study, number, seeds))
    return finding


@pytest.mark.parametrize(
    ("text", "verdict", "says"),
    [
        ('computation = "within"\nlow = 4\nhigh = 100', "holds", "Reno 20 packets 20.00"),
        ('computation = "within"\nlow = 5', "differs", "not: Vegas 20 packets 4.00, Vegas 100 packets 4.00"),
        ('computation = "within"\nlow = 5\nopen = true', "open", "not: Vegas"),
        ('computation = "within"\nlow = 5\nshare = 0.6', "holds", "not: Vegas"),
        ('computation = "within"\nlow = 38.8\nhigh = 38.9\npool = ["cca", "queue"]', "holds", "38.83 ms"),
        (
            'computation = "within"\nhigh = 20\nwhere = { cca = "reno", queue = "20 packets" }',
            "holds",
            "20.00 ms",
        ),
        (
            'computation = "ratio"\nof = { queue = "100 packets" }\nto = { queue = "20 packets" }\nlow = 2',
            "differs",
            "Reno 4.00, cubic 4.00, Vegas 1.00 times (not: Vegas 1.00)",
        ),
        (
            'computation = "difference"\nof = { cca = "cubic" }\nto = { cca = "reno" }\nlow = 5',
            "holds",
            "20 packets 5.00, 100 packets 20.00 ms",
        ),
        (
            'computation = "above"\nof = { cca = ["reno", "cubic"] }\nto = { cca = "vegas" }\nlow = 5',
            "holds",
            "20 packets 5.00, 100 packets 20.00 times",
        ),
        (
            'computation = "largest"\nfactor = "cca"\nfirst = "cubic"',
            "holds",
            "20 packets: cubic 25.00, Reno 20.00",
        ),
        (
            'computation = "largest"\nfactor = "cca"\nfirst = "reno"',
            "differs",
            "not: 20 packets, 100 packets",
        ),
        ('computation = "largest"\nfactor = "cca"\nfirst = ["reno", "cubic"]', "holds", "Vegas 4.00"),
        ('computation = "largest"\nfactor = "cca"\nfirst = "reno"\nties = 0.2', "holds", "cubic 25.00, Reno"),
        (
            'computation = "largest"\nfactor = "cca"\nfirst = "reno"\n'
            'of = { queue = "100 packets" }\nto = { queue = "20 packets" }',
            "differs",  # cubic's growth is the same: none of the two is the larger
            "Reno 4.00, cubic 4.00 times (not: the order)",
        ),
        (
            'computation = "smallest"\nfactor = "cca"\nfirst = "vegas"\n'
            'of = { queue = "100 packets" }\nto = { queue = "20 packets" }',
            "holds",
            "Vegas 1.00, Reno 4.00 times",
        ),
        ('computation = "smallest"\nfactor = "cca"\nfirst = "vegas"', "holds", "Vegas 4.00, Reno 20.00"),
        (
            'computation = "smallest"\nfactor = "cca"\nfirst = "reno"\namong = ["reno", "cubic"]',
            "holds",
            "Reno 20.00, cubic 25.00",
        ),
        (
            'computation = "flat"\nfactor = "queue"\nhigh = 4',
            "holds",
            "Reno 4.00, cubic 4.00, Vegas 1.00 times",
        ),
        ('computation = "flat"\nfactor = "cca"\nhigh = 4', "differs", "20 packets 6.25, 100 packets 25.00"),
        ('computation = "compare_metrics"\nexpected = "throughput"\nwithin = 0.01', "holds", "1.00"),
    ],
)
def test_a_claim_holds_or_differs(tmp_path, text, verdict, says):
    finding = find(tmp_path, text)
    assert finding.verdict == verdict
    assert says in f"{finding.ours} ({finding.detail})"
    assert finding.runs


def test_several_seeds_give_an_interval(tmp_path):
    where = 'where = { cca = "reno", queue = "20 packets" }'
    finding = find(tmp_path, f'computation = "within"\nhigh = 30\n{where}', seeds=(1, 2, 3))
    # 20, 21 and 22: Student's 4.303 times 1 / sqrt(3).
    assert finding.ours == "21.00 ± 2.48 ms"
    assert len(finding.runs) == 3


def test_the_interval_of_a_ratio(tmp_path):
    text = 'computation = "ratio"\nof = { queue = "100 packets" }\nto = { queue = "20 packets" }\nlow = 2\n'
    finding = find(tmp_path, text + 'where = { cca = "reno" }', seeds=(1, 2, 3))
    # 81 +- 2.484 over 21 +- 2.484: 0.118 from the one, -0.408 from the other, in squares.
    assert finding.ours == "3.86 ± 0.42 times"


def test_what_was_left_out_is_not_computed(tmp_path):
    study = small_study(
        tmp_path / "small", claims=CLAIM + 'computation = "within"\nwhere = { cca = "vegas" }\nlow = 1'
    )
    results = made_up(study, numbers)
    ends = [end for end in results.ends if end[0].levels["cca"] != "vegas"]
    ((_, finding),) = judge_claims(type(results)(study, ends, results.measured))
    assert (finding.verdict, finding.detail) == ("not computed", "runs left out: cca = vegas")


def test_a_number_that_is_not_known_does_not_hold(tmp_path):
    finding = find(tmp_path, 'computation = "within"\nlow = 0', number=lambda *_: float("nan"))
    assert finding.verdict == "differs"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('computation = "withn"', 'no computation "withn"'),
        ('computation = "within"\nwhere = { cqa = "reno" }', 'mean "cca"'),
        ('computation = "within"\nwhere = { cca = "bbr" }', "in no run of the part"),
        ('computation = "within"\nlows = 3', "unknown key"),
        (
            'computation = "ratio"\nof = { cca = ["reno", "cubic"] }\nto = { cca = "vegas" }',
            "averaged in silence",
        ),
    ],
)
def test_a_claim_that_makes_no_sense_is_refused(tmp_path, text, says):
    with pytest.raises(AirtcpError, match=says):
        find(tmp_path, text)
