import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ComposerProject, PHP_PACKAGES } from './composer-projects.ts'
import type { Recorded } from './managers.ts'

export interface ComposerRecorded extends Recorded {
  /** What `composer show --locked --tree` prints. */
  readonly tree: string
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
  return {
    name: project.name,
    files: Object.fromEntries(files.map((name) => [name, neutral(readFileSync(join(place, name), 'utf8'))])),
    all: await run('show', '--locked', '--format=json'),
    regular: await run('show', '--locked', '--no-dev', '--format=json'),
    tree: await run('show', '--locked', '--tree', '--format=json'),
  }
}

function packagesByName(): Readonly<Record<string, object>> {
  const names = new Map<string, Record<string, object>>()
  for (const one of PHP_PACKAGES) {
    const [name, version] = [String(one['name']), String(one['version'])]
    names.set(name, { ...names.get(name), [version]: one })
  }
  return Object.fromEntries(names)
}
