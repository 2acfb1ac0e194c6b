# shellcheck shell=sh
# A plan says what belongs to a service: lines in $plan of words parted by tabs, a verb first. $root leads every path: the
# root folder of the Node, empty but in tests.
tab=$(printf '\t')
# each VERB FUNCTION: calls it with the words of every line of the plan that begins with the verb, until one fails.
each() {
  while IFS=$tab read -r verb one two three four five six; do
    [ "$verb" = "$1" ] || continue
    "$2" "$one" "$two" "$three" "$four" "$five" "$six" </dev/null || return 1
  done <<END
$plan
END
}

# owner_of NAME, group_of NAME: numbers; `-` is whoever runs this, which is root.
owner_of() { if [ "$1" = - ]; then printf '%s' "$own_uid"; else id -u -- "$1"; fi; }
group_of() { if [ "$1" = - ]; then printf '%s' "$own_gid"; else id -g -- "$1"; fi; }

# owned_as MODE OWNER GROUP PATH
owned_as() { [ "$(stat -c '%a %u %g' -- "$4")" = "$1 $(owner_of "$2") $(group_of "$3")" ]; }

# reported UNIT FILE: the digest with which the live process began, as it says itself; empty when none is ready.
reported() {
  pid=$(systemctl show --property=MainPID --value "$1")
  [ "${pid:-0}" != 0 ] && read -r ready began <"$2" && [ "$ready" = "$pid" ] && printf '%s' "$began"
}

# facts_of FOLDER, seal FOLDER, whole FOLDER: a release is whole when nothing touched its files since it was sealed, or
# when their digests still are those of its manifest.
facts_of() (cd "$1" && stat -c '%n %i %s %.9Y %.9Z' .manifest ./*)
seal() { facts_of "$1" >"$1/.seal" && flush "$1/.seal" && flush "$1"; }
whole() {
  [ -s "$1/.seal" ] && [ "$(cat "$1/.seal")" = "$(facts_of "$1")" ] && return 0
  [ -s "$1/.manifest" ] && (cd "$1" && sha256sum --status -c .manifest && seal .)
}
