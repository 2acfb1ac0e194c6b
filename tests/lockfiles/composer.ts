import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ComposerProject, PHP_PACKAGES } from './composer-projects.ts'
import type { Recorded } from './managers.ts'

export interface ComposerRecorded extends Recorded {
  /** What `composer show --locked --tree` prints. */
  readonly tree: string
  /** What `composer depends --locked` prints of every locked package; nothing where nothing requires it by its name. */
  readonly depends: Readonly<Record<string, string>>
}

/** Makes the lock of a project with Composer from a repository of files, and asks Composer about it. */
export async function recordComposer(
  program: string,
  folder: string,
  project: ComposerProject,
): Promise<ComposerRecorded> {
  const repository = join(folder, 'repository')
  mkdirSync(repository, { recursive: true })
  writeFileSync(join(repository, 'packages.json'), JSON.stringify({ packages: packagesByName() }))
  const place = join(folder, project.name.replaceAll(' ', '-'))
  mkdirSync(place)
  const repositories = [{ type: 'composer', url: `file://${repository}` }, { 'packagist.org': false }]
  writeFileSync(join(place, 'composer.json'), JSON.stringify({ ...project.manifest, repositories }))
  const neutral = (text: string): string => text.replaceAll(folder, '/srv')
  const run = async (...words: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(
      program,
      ['--no-interaction', '--no-plugins', '--no-ansi', ...words],
      {
        cwd: place,
        env: {
          PATH: process.env['PATH'],
          COMPOSER_HOME: folder,
          COMPOSER_ALLOW_SUPERUSER: '1',
          COMPOSER_DISABLE_NETWORK: '1',
        },
      },
    )
    return neutral(stdout)
  }
  await run('update', '--no-install', '--no-audit', ...(project.options ?? []))
  const files = ['composer.json', 'composer.lock']
  const all = await run('show', '--locked', '--format=json')
  return {
    name: project.name,
    files: Object.fromEntries(files.map((name) => [name, neutral(readFileSync(join(place, name), 'utf8'))])),
    all,
    regular: await run('show', '--locked', '--no-dev', '--format=json'),
    tree: await run('show', '--locked', '--tree', '--format=json'),
    depends: await dependsOn(lockedNames(all), run),
  }
}

/** Names of the packages in what Composer shows. */
export const lockedNames = (all: string): readonly string[] =>
  [...all.matchAll(/"name": "(.+?)"/g)].map(([, name = '']) => name.toLowerCase()).toSorted()

async function dependsOn(
  names: readonly string[],
  run: (...words: readonly string[]) => Promise<string>,
): Promise<Readonly<Record<string, string>>> {
  const depends: Record<string, string> = {}
  // Composer ends with 1 where it found nobody.
  for (const name of names) depends[name] = await run('depends', '--locked', name).catch(printedOf)
  return depends
}

function printedOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 1 && 'stdout' in error)
    return String(error.stdout)
  throw error
}

function packagesByName(): Readonly<Record<string, object>> {
  const names = new Map<string, Record<string, object>>()
  for (const one of PHP_PACKAGES) {
    const [name, version] = [String(one['name']), String(one['version'])]
    names.set(name, { ...names.get(name), [version]: one })
  }
  return Object.fromEntries(names)
}
