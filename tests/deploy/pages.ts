/** What visitors ask for, one after the other. */
export const PATHS = ['/page.txt', '/index.php'] as const

/** Whatever of a release is answered names its version, and a page that is made of several files names it for each. */
export const filesOf = (version: string): Readonly<Record<string, string>> => ({
  'public/page.txt': `static ${version}`,
  'public/index.php': `<?php
$one = require __DIR__ . '/../one.php';
usleep(random_int(0, 4000));
echo "php $one ", require __DIR__ . '/../two.php';`,
  'public/state.php': `<?php
echo json_encode([
  'home' => basename(dirname(__DIR__, 3)),
  'release' => basename(dirname(__DIR__)),
  'resets' => opcache_get_status(false)['opcache_statistics']['manual_restarts'],
]);`,
  'one.php': `<?php return '${version}';`,
  'two.php': `<?php return '${version}';`,
  'one.mjs': `export default '${version}'\n`,
  'two.mjs': `export default '${version}'\n`,
})

/** A server that loads the selected release on request, and answers meanwhile from the previous one. */
export const SERVER = `import { realpathSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
const [, , home] = process.argv
let page
const load = async () => {
  const release = realpathSync(home + '/current')
  const [one, two] = [await import(release + '/one.mjs'), await import(release + '/two.mjs')]
  page = 'node ' + one.default + ' ' + two.default
}
process.on('SIGUSR2', async () => {
  await load()
  writeFileSync(home + '/loaded.new', page)
  renameSync(home + '/loaded.new', home + '/loaded')
})
await load()
const server = createServer((_request, response) => setTimeout(() => response.end(page), 2))
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
`

/** The step that makes the server load what was selected, and waits for it. */
export const reload = (pid: number | undefined, home: string): string =>
  `rm -f '${home}/loaded'; kill -USR2 ${pid ?? ''}; until [ -e '${home}/loaded' ]; do sleep 0.05; done`

/** The version of a page that is whole; undefined for one of several releases. */
export function versionOf(page: string): string | undefined {
  const [, ...versions] = page.split(' ')
  const [first] = versions
  return versions.every((version) => version === first) ? first : undefined
}
