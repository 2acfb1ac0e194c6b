import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { copyRuntime } from './runtime.ts'

/**
 * Joins a module and a Node runtime into one executable file. The same module and runtime give the same bytes: V8 puts
 * its random seed into the compiled code that goes along, so the seed is fixed.
 */
export async function makeExecutable(module: string, output: string, scratch: string): Promise<void> {
  const runtime = join(scratch, 'runtime')
  const main = join(scratch, 'main.mjs')
  const settings = join(scratch, 'executable.json')
  copyRuntime(process.execPath, runtime)
  writeFileSync(main, module)
  writeFileSync(
    settings,
    JSON.stringify({
      executable: runtime,
      main,
      mainFormat: 'module',
      output,
      disableExperimentalSEAWarning: true,
      useCodeCache: true,
      // The options of a Node program somewhere in the environment are not meant for it.
      execArgvExtension: 'none',
    }),
  )
  // Named as it is called below: the path of the module goes into the compiled code.
  await promisify(execFile)(process.execPath, ['--random-seed=1', '--build-sea', settings], { cwd: scratch })
}
