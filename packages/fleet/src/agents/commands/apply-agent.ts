import { Secret } from '@fleet/kernel'
import { type Command, script, withStdin, ROOT_FILES } from '@fleet/shell'
import { AGENT_STATE } from '#/agents/commands/state.ts'
import type { AgentFiles } from '#/agents/files.ts'
import type { AgentPlace } from '#/agents/place.ts'

export interface AgentWrite {
  readonly files: AgentFiles
  /** A new secret; undefined keeps the one that stands there. */
  readonly secret: Secret | undefined
  readonly restart: boolean
  /** Home of the managed user, below which checkouts and their logs stand. */
  readonly userHome: string
}

/**
 * Writes secret, other files, restarts and waits until the new process is ready, in this order (AGT-015). Answers the
 * agent's state, or `refused` with one of `applyReasons`.
 */
export function applyAgent(place: AgentPlace, write: AgentWrite): Command {
  const { files, secret, restart, userHome } = write
  const contents = [secret?.reveal() ?? '', files.config, files.certificate, files.unit]
  const head = `${contents.map((content) => Buffer.byteLength(content)).join(' ')}\n`
  return withStdin(
    script(
      APPLY,
      place.home,
      place.unitDirectory,
      place.runtime,
      files.digest,
      restart ? 'restart' : 'keep',
      userHome,
    ),
    new Secret(head + contents.join('')),
  )
}

export const applyReasons = ['secret', 'files', 'unit', 'restart', 'not_ready'] as const

const APPLY = `# set the agent up
${ROOT_FILES}
home=$1 units=$2 runtime=$3 digest=$4 restart=$5 user_home=$6
${AGENT_STATE}
umask 077
read -r secret config certificate unit || refuse files
directory 755 "\${home%/*}" && directory 700 "$home" || refuse files
[ "$secret" = 0 ] || head -c "$secret" | put 600 "$home/secret" || refuse secret
head -c "$config" | put 600 "$home/config.toml" || refuse files
head -c "$certificate" | put 600 "$home/ca.pem" || refuse files
head -c "$unit" | put 644 "$units/$unit_name" || refuse files
# Without any capability root passes through the folders of others only where they let it.
if [ -d "$user_home" ] && [ ! -L "$user_home" ] && [ "$(stat -c %u -- "$user_home")" != 0 ]; then
  [ -n "$(find "$user_home" -prune -perm -001)" ] || setfacl -m u:root:--x -- "$user_home"
fi
systemctl daemon-reload && systemctl enable "$unit_name" || refuse unit
if [ "$restart" = restart ]; then
  rm -f -- "$runtime/ready"
  systemctl restart "$unit_name" || refuse restart
else
  systemctl start "$unit_name" || refuse restart
fi
wanted=$digest
tries=0
until [ "$(agent_running)" = "$wanted" ]; do
  tries=$((tries + 1))
  [ "$tries" -le 150 ] || refuse not_ready
  sleep 0.1
done
agent_state
`
