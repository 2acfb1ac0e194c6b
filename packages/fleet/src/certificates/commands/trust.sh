# Arguments of both scripts on the system's trust store: the root folder of the machine, empty but in tests.
root=$1
file=$root/usr/local/share/ca-certificates/fleet-gateway.crt
link=$root/etc/ssl/certs/fleet-gateway.pem
bundle=$root/etc/ssl/certs/ca-certificates.crt
