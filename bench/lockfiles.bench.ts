// Reading the lock of a project with 3,000 packages, beside parsing the same text alone.
import { parseYaml } from '@fleet/lockfiles/yaml'
import { readDependencies } from '@fleet/lockfiles'
import { bunLock, composerLock, type LargeLock, npmLock, pnpmLock } from './large-locks.ts'
import { type Measure, measure, median, sideBySide } from './measure.ts'

const PACKAGES = 3000
const RUNS = 30

export async function* run(): AsyncGenerator<Measure> {
  yield await beside('npm', npmLock, 'package-lock.json', JSON.parse)
  // The text with comments and trailing commas is no JSON, so its value is what is parsed beside it.
  yield await beside('bun', bunLock, 'bun.lock', JSON.parse, (text) => text.replaceAll(/,(\s*[}\]])/g, '$1'))
  yield await beside('composer', composerLock, 'composer.lock', JSON.parse)
  yield await beside('pnpm', pnpmLock, 'pnpm-lock.yaml', (text) =>
    parseYaml(text, { file: 'pnpm-lock.yaml', invalid: 'dependencies.invalid_pnpm_input' }),
  )
}

async function beside(
  name: string,
  make: LargeLock,
  file: string,
  parse: (text: string) => unknown,
  plain = (text: string): string => text,
): Promise<Measure> {
  const files = make(PACKAGES)
  const text = plain(files[file] ?? '')
  const { ours, theirs } = await sideBySide(
    RUNS,
    async () => {
      const { composer, javascript } = readDependencies(files)
      const reading = name === 'composer' ? composer : javascript
      if (reading.status !== 'read' || reading.graph.resolutions.length !== PACKAGES)
        throw new Error(JSON.stringify(reading).slice(0, 200))
    },
    async () => parse(text),
  )
  return measure(
    `lock-${name}`,
    'ms',
    median(ours),
    `parsing its ${Math.round(text.length / 1024)} KiB alone`,
    median(theirs),
  )
}
