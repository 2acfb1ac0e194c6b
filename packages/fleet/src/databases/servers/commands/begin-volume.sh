# begin the volume of a database server
# Arguments: volume, mark of the creation, Process. Answers that the volume is new, or has the data of an earlier server.
volume=$1 mark=$2 process=$3
command -v docker >/dev/null || refuse no-docker
systemctl start docker.service
alone "$process"
# What an interrupted start of this very creation has left may lack what the image does last, and the image does it in empty
# volumes alone.
if [ "$(docker volume inspect --format '{{index .Labels "fleet.server.creation"}}' "$volume")" = "$mark" ]; then
  left=20
  # A start that nobody waits for any more may still be about to end.
  until docker container ls --all --quiet --filter "volume=$volume" --filter "label=fleet.process.id=$process" |
    xargs -r docker container rm --force >/dev/null && docker volume rm "$volume" >/dev/null; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || refuse failed
    sleep 0.5
  done
fi
if ! docker volume inspect "$volume" >/dev/null; then
  docker volume create --label "fleet.server.creation=$mark" "$volume" >/dev/null || refuse failed
fi
field begun yes
