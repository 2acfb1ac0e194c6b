import { type Command, script, ROOT_FILES } from '@fleet/shell'
import type { AgentPlace } from '#/agents/place.ts'
import type { ExecutablePlace } from '#/nodes/api.ts'

/** Ends the agent and removes its files, then the executable with its own link once no other unit runs it. Answers `removed`. */
export const removeAgent = (
  executable: ExecutablePlace,
  { home, unitDirectory, runtime }: AgentPlace,
): Command => script(REMOVE, executable.directory, executable.link, home, unitDirectory, runtime)

const REMOVE = `# remove the agent
${ROOT_FILES}
directory=$1 link=$2 home=$3 units=$4 runtime=$5
if [ -e "$units/fleet-agent.service" ]; then
  systemctl disable --now fleet-agent.service || refuse unit
  rm -f -- "$units/fleet-agent.service" && systemctl daemon-reload || refuse unit
fi
rm -rf -- "$home" "$runtime" || refuse files
rmdir -- "\${home%/*}"
if ! grep -qsF -- "$directory/fleet" "$units"/*.service; then
  [ "$(readlink -- "$link")" != "$directory/fleet" ] || rm -f -- "$link" || refuse files
  rm -rf -- "$directory" || refuse files
  rmdir -- "\${directory%/*}"
fi
field removed yes
`
