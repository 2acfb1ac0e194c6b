// What `lib/gateway.js` of a release is made from: the executable beside it calls `main`.
import { runConsole } from './console/main.ts'
import { outliveReaders } from './console/readers.ts'
import { installedRelease } from './release/installed-release.ts'
import { runProcess } from './process.ts'

/** Runs the gateway or a console command of an installed release; answers the exit status. */
export async function main(words: readonly string[]): Promise<number> {
  const release = installedRelease()
  if (words[0] === 'gateway-process') {
    await runProcess(release.manifest.version, release)
    return 0
  }
  outliveReaders()
  return runConsole(words, release)
}
