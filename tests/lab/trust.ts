import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Host } from '../../lab/index.ts'

/** The system's trust of these hosts has the root certificate of a file. A host keeps one of each name. */
export async function trust(certificate: string, name: string, ...hosts: readonly Host[]): Promise<void> {
  for (const host of hosts) {
    copyFileSync(certificate, join(host.root, `usr/local/share/ca-certificates/${name}.crt`))
    await host.run(['update-ca-certificates'])
  }
}
