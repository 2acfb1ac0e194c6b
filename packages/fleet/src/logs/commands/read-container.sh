# read the log of a container
# Arguments: id and container of its Process, how many lines, the most bytes. Answers the lines, none for no container.
unset DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG
command -v docker >/dev/null || refuse no-docker
newline='
'
# The mark tells what Docker answers from what it warns of: both are read at once, for the reason after a failure.
marks='facts:{{index .Config.Labels "fleet.managed"}}|{{index .Config.Labels "fleet.process.id"}}'
seen=$(timeout 20 docker container inspect --format "$marks" "$2" 2>&1) || {
  case $seen in *[Nn]'o such container'*) field lines ''; exit 0 ;; *) exit 1 ;; esac
}
case $seen$newline in *"facts:true|$1$newline"*) ;; *) refuse foreign ;; esac
# One byte more than fits says whether the beginning was cut.
text=$({ timeout 20 docker container logs --tail "$3" "$2" 2>&1 && echo end; } | tail -c "$(($4 + 5))")
case $text in *end) text=${text%end} ;; *) exit 1 ;; esac
# Its end begins in the middle of a line, which is then left out.
if [ "${#text}" -gt "$4" ]; then text=$(printf '%s' "$text" | sed 1d; echo end); text=${text%end}; fi
field lines "$text"
