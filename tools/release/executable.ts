import { execFile } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { copyRuntime } from './runtime.ts'

/**
 * Joins a module and a Node runtime into one executable file. The same module and runtime give the same bytes: V8 puts
 * its random seed into the compiled code that goes along, so the seed is fixed.
 */
export async function makeExecutable(module: string, output: string, scratch: string): Promise<void> {
  copyRuntime(process.execPath, join(scratch, 'runtime'))
  writeFileSync(join(scratch, 'main.mjs'), module)
  writeFileSync(
    join(scratch, 'executable.json'),
    JSON.stringify({
      // Relative: the names go into the executable.
      executable: 'runtime',
      main: 'main.mjs',
      mainFormat: 'module',
      output: 'executable',
      disableExperimentalSEAWarning: true,
      useCodeCache: true,
      // The options of a Node program somewhere in the environment are not meant for it.
      execArgvExtension: 'none',
    }),
  )
  const words = ['--random-seed=1', '--build-sea', 'executable.json']
  await promisify(execFile)(process.execPath, words, { cwd: scratch })
  renameSync(join(scratch, 'executable'), output)
}
