import { fail } from '@fleet/contract'
import { type Command, script, ROOT_FILES } from '@fleet/shell'
import { identityOf, type Machine } from '#/nodes/api.ts'

const START_SECONDS = 180

/** Enables and starts what is not running. One round trip. Throws `node_role.service_failed` and the codes of Machine. */
export async function ensureUnits(machine: Machine, units: readonly string[]): Promise<void> {
  const { exitCode, stdout } = await machine.asRoot(startUnits(units), { timeoutSeconds: START_SECONDS })
  if (exitCode === 0 && stdout.toString('utf8').trim() === 'running') return
  throw fail('node_role.service_failed', { details: { node: identityOf(machine.node) } })
}

/** Prints `running` at the end. A star in a name stands for a version, and one unit at least must have the name. */
export const startUnits = (units: readonly string[]): Command => script(SOURCE, ...units)

const SOURCE = `# start services
${ROOT_FILES}
changed=
for pattern; do
  units=$(systemctl list-unit-files --no-legend --no-pager --type=service "$pattern" | awk '{ print $1 }')
  [ -n "$units" ] || exit 1
  for unit in $units; do
    if systemctl -q is-enabled "$unit" && systemctl -q is-active "$unit"; then continue; fi
    changed=yes
    # One that failed too often would not be started again.
    systemctl -q is-failed "$unit" && systemctl reset-failed "$unit"
    systemctl -q enable "$unit" >/dev/null && systemctl start "$unit" || exit 1
    systemctl -q is-active "$unit" || exit 1
  done
done
[ -z "$changed" ] || sync
echo running
`
