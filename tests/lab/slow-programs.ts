import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Host } from '../../lab/index.ts'

const BEGAN = 'var/tmp/slow-began'

/** Programs of a host that take half a second longer, so that somebody can die while a step runs one of them. */
export interface SlowPrograms extends AsyncDisposable {
  /** Whether one of them has begun since the last `forget`. */
  hasBegun(): boolean
  forget(): void
}

/** Puts one in front of each program. They outlive a power cut. */
export async function slowPrograms(host: Host, names: readonly string[]): Promise<SlowPrograms> {
  const program = `#!/bin/sh\n>/${BEGAN}\nsleep 0.5\nPATH=/usr/sbin:/usr/bin exec "\${0##*/}" "$@"\n`
  const paths = names.map((name) => `/usr/local/bin/${name}`)
  const each = `for path; do cat >"$path" <<'EOF'\n${program}EOF\nchmod 755 "$path"; done; sync -f /usr/local/bin`
  await host.run(['sh', '-ec', each, 'sh', ...paths])
  const began = join(host.root, BEGAN)
  return {
    hasBegun: () => existsSync(began),
    forget: () => rmSync(began, { force: true }),
    [Symbol.asyncDispose]: async () => void (await host.run(['rm', '-f', ...paths])),
  }
}
