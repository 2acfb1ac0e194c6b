import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** What `lib/gateway.js` of a release exports. */
interface GatewayLibrary {
  readonly main: (words: readonly string[]) => Promise<number>
}

/** Runs the gateway of the release that this executable belongs to; on a Node there is none. */
export async function gatewayProgram(words: readonly string[]): Promise<number> {
  const file = join(dirname(realpathSync(process.execPath)), '..', 'lib', 'gateway.js')
  if (!existsSync(file)) {
    console.error('fleet: no gateway is installed beside this executable')
    return 2
  }
  // A single executable imports nothing but what is built in; require of a file is the way out of it.
  const library = createRequire(file)(file) as GatewayLibrary // Built by the release tool from apps/gateway/src/installed.ts.
  return library.main(words)
}
