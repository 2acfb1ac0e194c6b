import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Project } from './projects.ts'

export type Manager = 'npm' | 'pnpm' | 'bun'

/** What a manager left of a project and says about it. */
export interface Recorded {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  /** What it prints about all packages and about those without development. */
  readonly all: string
  readonly regular: string
  /** What Bun prints about who requires every package: `bun why '*'`. */
  readonly why?: string
}

interface Commands {
  readonly lock: string
  readonly install: readonly string[]
  readonly all: readonly string[]
  readonly regular: readonly string[]
}

const COMMANDS: Readonly<Record<Manager, Commands>> = {
  npm: {
    lock: 'package-lock.json',
    install: [
      'install',
      '--package-lock-only',
      '--no-audit',
      '--no-fund',
      '--allow-git=all',
      '--allow-remote=all',
    ],
    all: ['ls', '--all', '--json', '--package-lock-only'],
    regular: ['ls', '--all', '--json', '--package-lock-only', '--omit=dev'],
  },
  pnpm: {
    lock: 'pnpm-lock.yaml',
    install: ['install', '--lockfile-only', '--no-frozen-lockfile'],
    all: ['list', '--depth', 'Infinity', '--json', '--lockfile-only'],
    regular: ['list', '--depth', 'Infinity', '--json', '--lockfile-only', '--prod'],
  },
  bun: { lock: 'bun.lock', install: ['install'], all: ['pm', 'ls', '--all'], regular: [] },
}

export interface Run {
  readonly manager: Manager
  readonly program: string
  /** An empty folder of this run. */
  readonly folder: string
  readonly registry: string
}

const NEUTRAL = { registry: 'http://registry.test', repository: '/srv/repository.git' }

/** `bun why` of a thousand packages prints several MiB. */
const LONGEST_OUTPUT = 256 * 1024 * 1024

/** Makes the lock of a project with its manager, and asks the manager about it. */
export async function recordProject(
  { manager, program, folder, registry }: Run,
  project: Project,
): Promise<Recorded> {
  const repository = join(folder, 'repository.git')
  if (!existsSync(repository)) makeRepository(repository)
  const place = join(folder, project.name.replaceAll(' ', '-'))
  mkdirSync(place)
  const actual = (text: string): string =>
    text.replaceAll('REGISTRY', registry).replaceAll('REPOSITORY', repository)
  const neutral = (text: string): string =>
    text
      .replaceAll(registry, NEUTRAL.registry)
      .replaceAll(repository, NEUTRAL.repository)
      .replaceAll(place, '/srv/project')
      .replaceAll(folder, '/srv')
  const files = {
    'package.json': JSON.stringify({ name: 'project', version: '1.0.0', ...project.manifest }),
    ...project.files,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), actual(text))
  const run = async (words: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(program, words, {
      cwd: place,
      env: environment(folder, registry),
      maxBuffer: LONGEST_OUTPUT,
    })
    return neutral(stdout)
  }
  const { lock, install, all, regular } = COMMANDS[manager]
  await run(install)
  const said = { all: await run(all), regular: manager === 'bun' ? '' : await run(regular) }
  const read = [...Object.keys(files).filter((name) => /\.(?:json|yaml)$/.test(name)), lock]
  return {
    name: project.name,
    files: Object.fromEntries(read.map((name) => [name, neutral(readFileSync(join(place, name), 'utf8'))])),
    ...said,
    ...(manager === 'bun' && {
      why: await run(['why', '*']),
      regular: await installedByBun(place, run),
    }),
  }
}

/** Bun says nothing of scopes, so its production install is looked at: `name@version` of every folder. */
async function installedByBun(
  place: string,
  run: (words: readonly string[]) => Promise<string>,
): Promise<string> {
  rmSync(join(place, 'node_modules'), { recursive: true, force: true })
  await run(['install', '--production', '--frozen-lockfile'])
  return installedIn(join(place, 'node_modules')).toSorted().join('\n')
}

function installedIn(modules: string): readonly string[] {
  if (!existsSync(modules)) return []
  return readdirSync(modules).flatMap((name) => {
    if (name.startsWith('.')) return []
    const folders = name.startsWith('@')
      ? readdirSync(join(modules, name)).map((one) => join(name, one))
      : [name]
    return folders.flatMap((one) => {
      const { name: own, version } = JSON.parse(readFileSync(join(modules, one, 'package.json'), 'utf8'))
      return [`${own}@${version}`, ...installedIn(join(modules, one, 'node_modules'))]
    })
  })
}

const environment = (folder: string, registry: string): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: folder,
  CI: '',
  NO_COLOR: '1',
  npm_config_registry: registry,
  npm_config_cache: join(folder, '.npm'),
  npm_config_update_notifier: 'false',
  PNPM_CONFIG_REGISTRY: registry,
  BUN_INSTALL_CACHE_DIR: join(folder, '.bun'),
})

/** A repository with one tagged commit, the same each time. */
function makeRepository(place: string): void {
  mkdirSync(place)
  const git = (...words: string[]): void =>
    void execFileSync('git', words, {
      cwd: place,
      stdio: 'ignore',
      env: {
        ...process.env,
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_AUTHOR_DATE: '2020-01-01T00:00:00Z',
        GIT_COMMITTER_DATE: '2020-01-01T00:00:00Z',
      },
    })
  const manifest = {
    name: 'repository',
    version: '1.0.0',
    dependencies: { beta: '1' },
    devDependencies: { host: '1' },
  }
  git('init', '--initial-branch=main')
  writeFileSync(join(place, 'package.json'), JSON.stringify(manifest))
  git('add', '.')
  git('-c', 'user.name=test', '-c', 'user.email=test@example.com', 'commit', '--message=first')
  git('tag', 'v1.0.0')
}
