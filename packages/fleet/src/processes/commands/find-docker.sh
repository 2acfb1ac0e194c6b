# find Docker
# Arguments: none. One that is stopped is started by whoever creates a container.
command -v docker >/dev/null || refuse no-docker
field found yes
