import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execute } from './ssh-server.ts'

type Dependencies = Readonly<Record<string, string>>

/** A published package that brings about 1,300 others. */
export const LARGE: Dependencies = { 'react-scripts': '5.0.1' }

/** Frameworks and tools that nobody has in one project; together they bring from 4,400 to 6,900 packages. */
export const LARGEST: Dependencies = {
  ...LARGE,
  '@angular-devkit/build-angular': '19.0.0',
  '@angular/cli': '19.0.0',
  '@docusaurus/core': '3.6.0',
  '@nestjs/cli': '10.4.0',
  '@storybook/react-webpack5': '8.4.0',
  'aws-cdk-lib': '2.170.0',
  'electron-builder': '25.1.8',
  'ember-cli': '5.12.0',
  expo: '52.0.0',
  'firebase-tools': '13.20.0',
  gatsby: '5.14.0',
  jest: '29.7.0',
  lerna: '8.1.9',
  next: '15.0.0',
  nuxt: '3.14.0',
  'react-native': '0.76.0',
  sails: '1.5.13',
  serverless: '3.40.0',
  'webpack-dev-server': '5.1.0',
}

const ROOT = new URL('..', import.meta.url).pathname

/** Words of each manager that write its lock and install nothing. */
const MANAGERS = {
  npm: {
    lock: 'package-lock.json',
    words: ['npm', 'install', '--package-lock-only', '--no-audit', '--no-fund', '--legacy-peer-deps'],
  },
  pnpm: {
    lock: 'pnpm-lock.yaml',
    words: [join(ROOT, 'node_modules/pnpm/bin/pnpm.cjs'), 'install', '--lockfile-only'],
  },
  bun: {
    lock: 'bun.lock',
    words: [join(ROOT, 'node_modules/@oven/bun-linux-x64/bin/bun'), 'install', '--lockfile-only'],
  },
} as const
export type RealManager = keyof typeof MANAGERS
export const realManagers = ['npm', 'pnpm', 'bun'] as const satisfies readonly RealManager[]

/** A project in a new folder whose lock its manager made from the public registry. Throws where that cannot be reached. */
export async function realProject(
  home: string,
  manager: RealManager,
  dependencies: Dependencies,
): Promise<string> {
  const folder = mkdtempSync(join(home, `${manager}-`))
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'real', version: '1.0.0', dependencies }),
  )
  const [program, ...words] = MANAGERS[manager].words
  await execute(program, words, { cwd: folder })
  return folder
}

/** Manifest and lock of a project, as the readers take them. */
export const filesOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => /^(?:package\.json|package-lock\.json|pnpm-lock\.yaml|bun\.lock)$/.test(name))
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )

export const lockOf = (manager: RealManager): string => MANAGERS[manager].lock
