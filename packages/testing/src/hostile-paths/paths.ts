import { readFileSync } from 'node:fs'

/** What a path is answered with: the application, a static file, a script that is run, a redirection, or a status. */
export type Expected = string

export interface HostilePath {
  /** As it is sent, byte by byte. */
  readonly path: string
  readonly expected: Expected
}

/** Development Project types, in the order of the columns. */
export const SERVED_TYPES = [
  'laravel-app',
  'symfony-app',
  'monorepo',
  'laravel-package',
  'node-package',
] as const
export type ServedType = (typeof SERVED_TYPES)[number]

/** Every path of `paths.tsv` with its answer for the type. */
export const hostilePaths = (type: ServedType): readonly HostilePath[] =>
  readFileSync(new URL('paths.tsv', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [path = '', ...answers] = line.split('\t')
      return { path, expected: answers[SERVED_TYPES.indexOf(type)] ?? 'nothing is expected' }
    })

/** One source with everything that a visitor must not see: contents by path, with the target of each link. */
export interface HostileSource {
  readonly webRoot: string
  /** Repository-relative; undefined where no PHP runs. */
  readonly applicationDirectory: string | undefined
  readonly files: Readonly<Record<string, string>>
  readonly links: Readonly<Record<string, string>>
}

const SECRET = 'SECRET=never-served\n'
const echo = (word: string): string =>
  `<?php header('Content-Type: text/plain'); echo '${word} ', PHP_SAPI;\n`

/** Beside a web root, and in it by mistake. */
const SECRETS: Readonly<Record<string, string>> = {
  '.env': SECRET,
  '.env.local': SECRET,
  '.git/config': SECRET,
  '.git/HEAD': SECRET,
  '.htaccess': SECRET,
  '.well-known/.env': SECRET,
}

const IN_ROOT: Readonly<Record<string, string>> = {
  ...SECRETS,
  'css/app.css': 'file css',
  '.well-known/security.txt': 'file security',
  'info.php': echo('script'),
  'index.php.bak': `<?php // ${SECRET}`,
  'index.php~': `<?php // ${SECRET}`,
  'info.phps': `<?php // ${SECRET}`,
  'old.phtml': `<?php // ${SECRET}`,
  'lib.inc': `<?php // ${SECRET}`,
  'tool.phar': `<?php // ${SECRET}`,
  'uploads/shell.php': `<?php echo 'ran'; // ${SECRET}`,
  'uploads/photo.php.jpg': `<?php echo 'ran'; // ${SECRET}`,
  'uploads/photo.jpg': 'file upload',
  'media/uploads/2026/shell.php': `<?php echo 'ran'; // ${SECRET}`,
  'media/uploads/2026/photo.jpg': 'file upload',
  'index.php74': `<?php // ${SECRET}`,
  'admin/index.php': echo('script'),
}

const ABOVE: Readonly<Record<string, string>> = {
  ...SECRETS,
  'composer.json': '{"name":"x/y","description":"never-served"}',
  'config/database.php': `<?php // ${SECRET}`,
  'storage/logs/laravel.log': SECRET,
}

const below = (folder: string, files: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}${path}`, text]))

/** A source of the type, as a developer has it. */
export function hostileSource(type: ServedType): HostileSource {
  if (type === 'laravel-package' || type === 'node-package') {
    const webRoot = type === 'node-package' ? 'dist' : 'docs'
    const files = { ...ABOVE, ...below(`${webRoot}/`, { ...IN_ROOT, 'index.html': 'file index' }) }
    return { webRoot, applicationDirectory: undefined, files, links: {} }
  }
  const application = type === 'monorepo' ? 'apps/site' : ''
  const at = application === '' ? '' : `${application}/`
  const marker = type === 'symfony-app' ? 'bin/console' : 'artisan'
  const storage = {
    'storage/app/public/photo.jpg': 'file photo',
    'storage/app/public/evil.php': `<?php echo 'ran'; // ${SECRET}`,
    'storage/app/private/secret.txt': SECRET,
  }
  const root = below('public/', { ...IN_ROOT, 'index.php': echo('app') })
  return {
    webRoot: `${at}public`,
    applicationDirectory: application,
    files: { ...SECRETS, ...below(at, { ...ABOVE, ...storage, ...root, [marker]: SECRET }) },
    links: { [`${at}public/storage`]: '../storage/app/public' },
  }
}
