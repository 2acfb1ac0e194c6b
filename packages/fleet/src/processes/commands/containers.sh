# shellcheck shell=sh
# Containers of Processes, with Docker's own command line. What Docker says is read here and goes no further.
unset DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG
DOCKER_SECONDS=60
newline='
'
# The mark tells what Docker answers from what it warns of: both are read at once, for the reason after a failure.
FACTS='facts:{{index .Config.Labels "fleet.managed"}}|{{index .Config.Labels "fleet.process.id"}}|{{index .Config.Labels "fleet.process.digest"}}|{{.State.ExitCode}}|{{.HostConfig.RestartPolicy.Name}}|{{.State.Status}}'

# look NAME: sets `seen`, which is empty for no container. Fails when Docker does not answer.
look() {
  seen=$(timeout "$DOCKER_SECONDS" docker container inspect --format "$FACTS" "$1" 2>&1) && {
    seen=${seen#*facts:}
    seen=${seen%%"$newline"*}
    return 0
  }
  case $seen in *[Nn]'o such container'*) seen='' ;; *) return 1 ;; esac
}
# is_own ID: whether what was seen is the container of the Process.
is_own() { case $seen in "true|$1|"*) return 0 ;; *) return 1 ;; esac; }
digest_seen() { digest=${seen#*|*|}; printf '%s' "${digest%%|*}"; }
exit_seen() { exit=${seen#*|*|*|}; printf '%s' "${exit%%|*}"; }
policy_seen() { policy=${seen%|*}; printf '%s' "${policy##*|}"; }
status_seen() { printf '%s' "${seen##*|}"; }

# is_stopped: whether somebody stopped Docker: its socket may still be there, and to ask over that starts it again with all
# containers that it restarts. A `docker` without that unit is another one, such as Podman's.
is_stopped() {
  state=$(timeout 5 systemctl show --property=LoadState,ActiveState docker.service)
  case $state in *LoadState=loaded*) ;; *) return 1 ;; esac
  case $state in *ActiveState=inactive* | *ActiveState=failed*) ;; *) return 1 ;; esac
}

# look_or_refuse NAME: a Docker that was stopped is started first.
look_or_refuse() {
  command -v docker >/dev/null || refuse no-docker
  look "$1" && return 0
  systemctl start docker.service
  look "$1" || refuse docker-silent
}

# settle: what Docker wrote survives a power cut; it flushes only a part of it itself.
settle() { sync --file-system -- "$(docker info --format '{{.DockerRootDir}}')"; }

# resume NAME: a container that was seen as paused continues; Docker starts none that is.
resume() { [ "$(status_seen)" != paused ] || timeout "$DOCKER_SECONDS" docker container unpause "$1" >/dev/null; }

# discard NAME [with-volumes]: stops and removes the container, with those volumes that have no name and are no other one's.
discard() {
  timeout "$DOCKER_SECONDS" docker container stop "$1" >/dev/null
  timeout "$DOCKER_SECONDS" docker container rm --force ${2:+--volumes} "$1" >/dev/null && return 0
  look "$1" && [ -z "$seen" ]
}
