import { run } from '@fleet/shell'
import { PLACES } from '#/console/places.ts'
import { must } from '#/console/programs.ts'

/** Profile of the command line of root on this machine, so that `fleet node:list` works at once. It takes a renewed root: this is its machine. */
export async function storeProfile(name: string, origin: string, fingerprint: string): Promise<void> {
  await must(
    run(PLACES.executable, 'gateway:add', name, origin, '--fingerprint', fingerprint, '--accept-change'),
  )
  await must(run(PLACES.executable, 'gateway:use', name))
}
