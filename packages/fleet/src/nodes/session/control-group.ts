import { Secret } from '@fleet/kernel'
import { type Command, programOf, script, shownAs, textFile, withPayload, withStdin } from '@fleet/shell'

/** Shell functions: `enter_control_group SCOPE`, `end_control_group SCOPE` and `as_root WORD…`. */
export const CONTROL_GROUP = textFile('control-group.sh', import.meta.url)

const RUN = programOf(textFile('run-in-group.sh', import.meta.url), CONTROL_GROUP)

/**
 * The command in a scope of systemd, which is killed with everything in it when the command ends or is given up, and before
 * it starts. Who logs in must be root or have sudo; without, or without systemd, the command runs as it would alone.
 */
export function inControlGroup(scope: string, command: Command): Command {
  const { program = '', stdin, payload } = command
  const input = new Secret(program + (stdin?.reveal() ?? ''))
  const grouped = shownAs(withStdin(script(RUN, scope, command.line), input), command.shown)
  return payload ? withPayload(grouped, payload) : grouped
}
