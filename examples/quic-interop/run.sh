# run.sh ROLE TESTCASE PYTHON: what the interop runner prepares for an endpoint, and the endpoint.
export ROLE="$1" TESTCASE="$2" WWW=/tmp/www DOWNLOADS=/tmp/downloads CERTS=/tmp/certs
export SSLKEYLOGFILE="$QLOGDIR/keys.log"
export REQUESTS="https://server:443/first https://server:443/second https://server:443/third"
mkdir -p "$WWW" "$DOWNLOADS" "$CERTS"
if [ "$ROLE" = server ]; then
    # Files of other contents each, and a certificate that is valid on the date of the scenario.
    for name in first second third; do
        seq -f "$name %.0f" 20000 | head -c 100000 >"$WWW/$name"
    done
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 10 -subj /CN=server \
        -addext subjectAltName=DNS:server -keyout "$CERTS/priv.key" -out "$CERTS/cert.pem" 2>/dev/null
    exec "$3" endpoint.py
fi
"$3" endpoint.py || exit
for name in first second third; do
    cmp "$WWW/$name" "$DOWNLOADS/$name" || exit 1
done
echo "$TESTCASE: passed"
