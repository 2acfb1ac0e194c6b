#!/bin/sh
# A Docker whose containers are folders in $FAKE/docker/containers with a file for each property. Images are names in
# $FAKE/docker/images, those of registries in $FAKE/docker/registry; one that is not empty has a volume without a name. Its messages are
# Docker's own.
root=$FAKE/docker
echo "$*" >>"$root/calls"
say() { printf '%s\n' "$*" >&2; }
if [ -e "$root/silent" ]; then
  say 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?'
  exit 1
fi
die() { say "Error response from daemon: $*"; exit 1; }
# Scripts ask all the time, so no process is begun for what the shell can do. Gives a property in `value`.
get() {
  value=''
  [ -e "$root/containers/$1/$2" ] || return 0
  IFS= read -r value <"$root/containers/$1/$2" || :
}
set_to() { printf '%s' "$3" >"$root/containers/$1/$2"; }
have() { [ -d "$root/containers/$1" ] || { say "Error response from daemon: No such container: $1"; return 1; }; }
# Prints a template with the properties of a container in it.
shown() {
  rest=$2
  while :; do
    case $rest in *'{{'*'}}'*) ;; *) break ;; esac
    before=${rest%%'{{'*}
    rest=${rest#*'{{'}
    name=${rest%%'}}'*}
    rest=${rest#*'}}'}
    case $name in
      .Name) value=/$1 ;;
      'index .Config.Labels "'*'"') name=${name#*'"'}; get "$1" "label-${name%'"'}" ;;
      .HostConfig.RestartPolicy.Name) get "$1" restart ;;
      .State.Status) get "$1" status ;;
      .State.ExitCode) get "$1" exit; value=${value:-0} ;;
      .State.Pid) get "$1" status; if [ "$value" = running ]; then value=$$; else value=0; fi ;;
      *) value="{{$name}}" ;;
    esac
    printf '%s%s' "$before" "$value"
  done
  printf '%s\n' "$rest"
}
create() {
  name='' image='' environment='' volumes_from=''
  new=$root/new
  rm -rf "$new"
  mkdir "$new"
  : >"$new/options"
  while [ $# -gt 0 ] && [ -z "$image" ]; do
    case $1 in
      --name) name=$2; shift ;;
      --label) printf '%s' "${2#*=}" >"$new/label-${2%%=*}"; shift ;;
      --restart) printf '%s' "$2" >"$new/restart"; shift ;;
      --env-file) cat "$2" >"$new/environment"; shift ;;
      --volumes-from) have "$2" || exit 1; volumes_from=$2; shift ;;
      --*) printf '%s\n' "$1" >>"$new/options" ;;
      *) image=$1 ;;
    esac
    shift
  done
  [ -e "$root/images/$image" ] || die "No such image: $image"
  [ ! -d "$root/containers/$name" ] || die "Conflict. The container name \"/$name\" is already in use"
  [ ! -e "$root/full" ] || die 'mkdir /var/lib/docker/overlay2/1: no space left on device'
  printf '%s' "$image" >"$new/image"
  printf '%s' created >"$new/status"
  : >"$new/command"
  for word; do printf '%s\n' "$word" >>"$new/command"; done
  get "$volumes_from" volume
  if [ -z "$value" ] && [ -s "$root/images/$image" ]; then
    mkdir -p "$root/volumes"
    value=$(mktemp -d "$root/volumes/XXXXXXXX")
  fi
  [ -z "$value" ] || printf '%s' "$value" >"$new/volume"
  mv "$new" "$root/containers/$name"
  echo 0123456789ab
}
start() {
  have "$1" || exit 1
  get "$1" status
  [ "$value" != paused ] || die 'cannot start a paused container, try unpause instead'
  if [ -e "$root/broken/$1" ]; then die "$(cat "$root/broken/$1")"; fi
  set_to "$1" status running
  get "$1" starts
  set_to "$1" starts "$((${value:-0} + 1))"
}
stop() {
  have "$1" || exit 1
  get "$1" status
  [ "$value" = created ] || set_to "$1" status exited
}
[ "$1" != container ] || shift
verb=$1
shift
case $verb in
  version) echo 20.10.24 ;;
  info) echo "$root" ;;
  inspect)
    format=$2
    shift 2
    for name; do if have "$name"; then shown "$name" "$format"; else failed=yes; fi; done
    [ -z "${failed-}" ] ;;
  image)
    case $1 in
      inspect) [ -e "$root/images/$2" ] || die "No such image: $2" ;;
      pull) [ -e "$root/registry/$3" ] || die "pull access denied for $3"; : >"$root/images/$3" ;;
    esac ;;
  create) create "$@" ;;
  start) start "$1" ;;
  restart) stop "$1"; start "$1" ;;
  unpause) have "$1" || exit 1; get "$1" status; [ "$value" = paused ] || die "Container $1 is not paused"; set_to "$1" status running ;;
  stop) stop "$1" ;;
  update) have "$3" || exit 1; set_to "$3" restart "$2" ;;
  rename) have "$1" || exit 1; mv "$root/containers/$1" "$root/containers/$2" ;;
  rm)
    [ "$2" = --volumes ] || set -- "$1" '' "$2"
    have "$3" || exit 1
    get "$3" volume
    rm -rf "${root:?}/containers/$3"
    # One that another container has is kept.
    if [ -n "$2" ] && [ -n "$value" ] && ! grep -qsF "$value" "$root"/containers/*/volume; then rm -rf "${value:?}"; fi ;;
  logs) have "$3" || exit 1; [ ! -e "$root/containers/$3/log" ] || tail -n "$2" "$root/containers/$3/log" ;;
  *) die "no such verb: $verb" ;;
esac
