import { run } from '@fleet/shell'
import { attempt, must } from '#/console/programs.ts'

/**
 * A recorded Node with roles is reached at its tunnel address, which a machine on which it is restored does not have yet.
 * The loopback interface lends it to the machine's own SSH server until the tunnel is there. It does not survive a reboot.
 */
export async function lendAddress(address: string): Promise<AsyncDisposable> {
  const words = [`${address}/32`, 'dev', 'lo'] as const
  await must(run('ip', 'address', 'replace', ...words))
  return {
    [Symbol.asyncDispose]: async () => void (await attempt(run('ip', 'address', 'del', ...words))),
  }
}
