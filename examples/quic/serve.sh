# serve.sh PYTHON: a certificate that is valid on the date of the scenario, and the server.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=h1 \
    -keyout /tmp/key.pem -out /tmp/cert.pem 2>/dev/null
exec "$1" transfer.py server
