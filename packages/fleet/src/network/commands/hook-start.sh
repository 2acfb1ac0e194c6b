#!/bin/sh
# Written by Fleet. Changes made here are replaced.
set -u
folder=$(dirname -- "$0")
root=${folder%/etc/wireguard}
