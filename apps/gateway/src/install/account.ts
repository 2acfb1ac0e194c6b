import { run } from '@fleet/shell'
import { secureHome } from '#/console/as-gateway.ts'
import { GATEWAY_USER, PLACES } from '#/console/places.ts'
import { must, succeeds } from '#/console/programs.ts'

/** The system user of the gateway process and its home, which nobody else may read. */
export async function ensureAccount(): Promise<void> {
  if (!(await succeeds(run('id', GATEWAY_USER))))
    await must(
      run(
        'useradd',
        '--system',
        '--user-group',
        '--home-dir',
        PLACES.home,
        '--no-create-home',
        '--shell',
        '/usr/sbin/nologin',
        GATEWAY_USER,
      ),
    )
  await secureHome()
}
