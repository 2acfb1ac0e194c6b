# shellcheck shell=sh
# Ends with the reason where the scope is not one that Fleet may use.
accepted=$(scope)
[ "$accepted" = accepted ] || refuse "$accepted"
