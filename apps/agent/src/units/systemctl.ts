import { runProgram } from '../programs.ts'
import { UNIT_PREFIX } from './unit.ts'

const WORDS = ['list-units', '--all', '--plain', '--no-legend', '--no-pager', '--type=service', '--full']

/** The units by command, for a machine without a bus. Rejects where there is no systemd. */
export async function listUnitsByCommand(
  signal: AbortSignal,
): Promise<readonly { name: string; runtime_status: string }[]> {
  const { status, output } = await runProgram(['systemctl', ...WORDS, `${UNIT_PREFIX}*`], { signal })
  if (status !== 0) throw new Error('systemctl does not answer')
  return output
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const [id = '', , runtime_status = ''] = line.trim().split(/\s+/)
      return id.endsWith('.service') ? [{ name: id.slice(0, -'.service'.length), runtime_status }] : []
    })
}

/** Whether a unit that systemd knows is stopped on purpose; false where nobody knows. */
export async function isStopped(unit: string, signal: AbortSignal): Promise<boolean> {
  const words = ['show', '--property=LoadState,ActiveState', unit] as const
  const { status, output } = await runProgram(['systemctl', ...words], { signal }).catch(() => ({
    status: 1,
    output: Buffer.alloc(0),
  }))
  const text = output.toString('utf8')
  return status === 0 && text.includes('LoadState=loaded') && /^ActiveState=(?:inactive|failed)$/m.test(text)
}
