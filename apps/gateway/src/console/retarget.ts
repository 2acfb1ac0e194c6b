import { parseArgs } from 'node:util'
import { systemClock } from '@fleet/kernel'
import type { InstalledRelease } from '#/release/installed-release.ts'
import { requireWords } from './misuse.ts'
import { type ConsoleDeps, depsOf } from './deps.ts'
import { underActivity } from './perform.ts'
import { Report } from './report.ts'

/** `fleet-gateway retarget NAME HOST`: a Node is reached under another public SSH address from now on (NODE-034). */
export async function retarget(
  words: readonly string[],
  release: InstalledRelease,
  { takeConsole, inSession, print }: ConsoleDeps = depsOf(release),
): Promise<number> {
  const { positionals, values } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: { port: { type: 'string' }, fingerprint: { type: 'string' } },
  })
  requireWords(positionals, 2)
  const [name = '', host = ''] = positionals
  const port = values.port === undefined ? undefined : Number(values.port)
  using _console = takeConsole()
  await inSession(async (session) => {
    const report = new Report(systemClock, print)
    const start = report.ticks()
    const node = await underActivity(session, {
      command: 'node:retarget',
      caller: undefined,
      progress: ({ step, status }) => (status === 'started' ? undefined : report.part(step, status, start)),
      run: (call) => session.services.retarget(call, { name, host, port, fingerprint: values.fingerprint }),
    })
    report.line(`${node.name} is now reached at ${node.public_ssh_host} port ${node.public_ssh_port}.`)
  })
  return 0
}
