/** Sources of a project with many packages, in the shape that each manager writes; the same each time. */
export type LargeLock = (count: number) => Readonly<Record<string, string>>

const PER_PACKAGE = [1, 7, 30, 200]
const ROOT = 25

const names = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) =>
    at % 5 === 0 ? `@scope-${at % 40}/package-${at}` : `package-${at}`,
  )

/** What the package at a place requires: only later ones, so that there is no end of ways but no cycle. */
const required = (all: readonly string[], at: number): readonly string[] =>
  PER_PACKAGE.flatMap((step) => all[at + step] ?? [])

const integrityOf = (at: number): string => `sha512-${String(at).padStart(8, '0').repeat(10)}AAAAAA==`
const versionOf = (at: number): string => `${at % 9}.${at % 17}.${at % 23}`

/** The root requires the first packages. */
const manifestOf = (all: readonly string[], section = 'dependencies'): string =>
  JSON.stringify({
    name: 'large',
    [section]: Object.fromEntries(all.slice(0, ROOT).map((name) => [name, '^1.0.0'])),
  })

export const npmLock: LargeLock = (count) => {
  const all = names(count)
  const packages = all.map((name, at): [string, object] => [
    `node_modules/${name}`,
    {
      version: versionOf(at),
      resolved: `https://registry.example/${name}/-/${name.split('/').at(-1)}-${versionOf(at)}.tgz`,
      integrity: integrityOf(at),
      license: 'MIT',
      dependencies: Object.fromEntries(required(all, at).map((one) => [one, '^1.0.0'])),
      engines: { node: '>=18' },
    },
  ])
  const manifest = manifestOf(all)
  const lock = {
    name: 'large',
    lockfileVersion: 3,
    requires: true,
    packages: Object.fromEntries<object>([['', JSON.parse(manifest) as object], ...packages]), // It is an object.
  }
  return { 'package.json': manifest, 'package-lock.json': JSON.stringify(lock, null, 2) }
}

export const bunLock: LargeLock = (count) => {
  const all = names(count)
  const lines = all.map((name, at) => {
    const info = { dependencies: Object.fromEntries(required(all, at).map((one) => [one, '^1.0.0'])) }
    return `    "${name}": ["${name}@${versionOf(at)}", "", ${JSON.stringify(info)}, "${integrityOf(at)}"],\n`
  })
  const manifest = manifestOf(all)
  return {
    'package.json': manifest,
    'bun.lock': `{\n  "lockfileVersion": 1,\n  "workspaces": {\n    "": ${manifest},\n  },\n  "packages": {\n${lines.join('\n')}  }\n}\n`,
  }
}

export const pnpmLock: LargeLock = (count) => {
  const all = names(count)
  const versions = new Map(all.map((name, at) => [name, versionOf(at)]))
  const imported = all
    .slice(0, ROOT)
    .map((name) => `      '${name}':\n        specifier: ^1.0.0\n        version: ${versions.get(name)}\n`)
  const packages = all.map(
    (name, at) =>
      `  '${name}@${versionOf(at)}':\n    resolution: {integrity: ${integrityOf(at)}}\n    engines: {node: '>=18'}\n`,
  )
  const snapshots = all.map((name, at) => {
    const lines = required(all, at).map((one) => `      '${one}': ${versions.get(one)}\n`)
    return `  '${name}@${versionOf(at)}':${lines.length === 0 ? ' {}\n' : `\n    dependencies:\n${lines.join('')}`}`
  })
  return {
    'package.json': manifestOf(all),
    'pnpm-lock.yaml': `lockfileVersion: '9.0'\n\nsettings:\n  autoInstallPeers: true\n\nimporters:\n\n  .:\n    dependencies:\n${imported.join('')}\npackages:\n\n${packages.join('\n')}\nsnapshots:\n\n${snapshots.join('\n')}`,
  }
}

export const composerLock: LargeLock = (count) => {
  const all = Array.from({ length: count }, (_, at) => `vendor-${at % 50}/package-${at}`)
  const packages = all.map((name, at) => ({
    name,
    version: `v${versionOf(at)}`,
    source: { type: 'git', url: `https://git.example/${name}.git`, reference: 'a'.repeat(40) },
    dist: { type: 'zip', url: `https://git.example/${name}.zip`, reference: 'a'.repeat(40), shasum: '' },
    require: { php: '>=8.1', ...Object.fromEntries(required(all, at).map((one) => [one, '^1.0'])) },
    type: 'library',
    autoload: { 'psr-4': { [`Vendor\\Package${at}\\`]: 'src/' } },
    license: ['MIT'],
    authors: [{ name: 'Somebody', email: 'somebody@example.com' }],
    description: 'A package of a large project.',
  }))
  return {
    'composer.json': manifestOf(all, 'require'),
    'composer.lock': JSON.stringify(
      { packages, 'packages-dev': [], aliases: [], 'plugin-api-version': '2.6.0' },
      null,
      4,
    ),
  }
}
