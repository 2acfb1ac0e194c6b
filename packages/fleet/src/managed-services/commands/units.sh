# shellcheck shell=sh
# Units of the plan: `restart`, `reload`, `start` (when it does not run), `settle` (when it does not run as declared), `none`.
changed='' failed='' begun='' enabled=''
start_unit() {
  failed=$2
  if [ "$4" = enabled ] && ! systemctl -q is-enabled "$2"; then
    changed=yes enabled=yes
    systemctl enable "$2" || return 1
  fi
  case $3 in
    none) return 0 ;;
    settle) if each ready is_reported; then return 0; fi ;;
    start) if is_settled "$2"; then return 0; fi ;;
  esac
  changed=yes
  each ready forget_report
  begin "$2" "$3"
}
is_settled() { [ "$(systemctl is-active "$1")" = active ]; }
forget_report() { [ "$1" != reported ] || remove "$root$3"; }
is_reported() { [ "$1" = reported ] && [ "$(reported "$2" "$root$3")" = "$4" ]; }
is_active() { failed=$1 && is_settled "$1"; }
is_ready() {
  case $1 in
    reported) failed=$2 && is_reported "$@" ;;
    active) each watched is_active ;;
  esac
}

# becomes_ready: within the time of the declaration; one that ends soon after its start is not ready. A reload starts nothing.
keep_tries() { tries=$(($5 * 10)); }
stays_ready() { [ "$1" != active ] || [ -z "$begun" ] || { sleep 0.5 && each watched is_active; }; }
becomes_ready() {
  tries=0
  each ready keep_tries
  until each ready is_ready && hook probe; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || return 1
    sleep 0.1
  done
  each ready stays_ready
}

# The way back: a unit whose file is new ends with it, any other runs as it did.
end_new() {
  if [ "$5" = written ] && ! was_there "$units/$2"; then systemctl disable --now "$2"; fi
  return 0
}
start_again() {
  if [ "$3" != none ] && { [ "$5" = foreign ] || [ -e "$units/$2" ]; }; then begin "$2" "$3"; fi
  return 0
}
