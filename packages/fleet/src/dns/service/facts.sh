# shellcheck shell=sh
# Whether dnsmasq is installed, and the files from which the Node's resolvers follow.
if command -v dnsmasq >/dev/null; then field dnsmasq yes; else field dnsmasq no; fi
resolver_files
