import { type GitServer, startGitServer } from '@fleet/testing/git-server'
import type { Host } from '../../lab/index.ts'
import type { InstalledFleet } from './installed.ts'
import { trust } from './trust.ts'

/** What Fleet looks at in a Laravel source, and a page that needs PHP. */
const SHOP = {
  artisan: '',
  'composer.json': '{"require":{"php":">=8.1","laravel/framework":"*"}}',
  '.env.example': 'APP_NAME=shop\nAPP_URL=http://localhost\n',
  'public/index.php': '<?php echo "PHP " . PHP_MAJOR_VERSION . " for " . $_SERVER["HTTP_HOST"];',
  'public/who.php': '<?php echo $_SERVER["REMOTE_ADDR"] . " " . $_SERVER["HTTP_X_FORWARDED_FOR"];',
  'public/plain.txt': 'plain',
}

/** The Project `shop` from a Git server of this machine, which these Nodes trust. */
export const addShop = (
  fleet: InstalledFleet,
  context: { after(close: () => unknown): void },
  ...nodes: readonly Host[]
): Promise<GitServer> => addShopOf(SHOP, fleet, context, ...nodes)

/** The same with other files. */
export async function addShopOf(
  files: Readonly<Record<string, string>>,
  fleet: InstalledFleet,
  context: { after(close: () => unknown): void },
  ...nodes: readonly Host[]
): Promise<GitServer> {
  const git = await startGitServer(['shop'], fleet.lab.addresses.machine)
  context.after(() => git[Symbol.asyncDispose]())
  git.commit('shop', 'main', files)
  await trust(git.caFile, 'git', fleet.gateway.host, ...nodes)
  await fleet.record('project:create', 'shop', git.urlOf('shop'), '--type', 'laravel-app', '--root', 'public')
  return git
}

/** Status and body of a page as a visitor on the Node gets it: its own resolver, its own trust. */
export const page = (host: Host, domain: string, path = '/', address = domain): Promise<string> =>
  ask(host, { domain, path, address, headers: '' })

/** Each of these would be somebody else. */
const FORGED = ['X-Forwarded-For: 203.0.113.1, 203.0.113.2', 'X_Forwarded_For: 203.0.113.3']

/** The client that the page `who.php` hears of, twice, when a visitor on the Node says that it is somebody else. */
export const heard = (host: Host, domain: string, address = domain): Promise<string> =>
  ask(host, { domain, path: '/who.php', address, headers: FORGED.map((line) => `${line}\\r\\n`).join('') })

/** What `heard` answers of a client. */
export const asClient = (address: string): string => `200 ${address} ${address}`

interface Asked {
  readonly domain: string
  readonly path: string
  readonly address: string
  /** Lines as `printf` reads them. */
  readonly headers: string
}

async function ask(host: Host, { domain, path, address, headers }: Asked): Promise<string> {
  const request = `printf 'GET ${path} HTTP/1.1\\r\\nHost: ${domain}\\r\\n${headers}Connection: close\\r\\n\\r\\n'; sleep 1`
  const verified = `openssl s_client -quiet -verify_return_error -verify_hostname ${domain} -servername ${domain}`
  const line = `{ ${request}; } | timeout 10 ${verified} -connect ${address}:443 2>/dev/null`
  const { stdout } = await host.attempt(['sh', '-c', line])
  const status = /^HTTP\/1\.1 (\d+)/.exec(stdout)?.[1] ?? 'no answer'
  const body = stdout.slice(stdout.indexOf('\r\n\r\n') + 4)
  return `${status} ${body.replaceAll(/^[0-9a-f]+\r\n|\r\n0\r\n\r\n$|\r\n$/g, '')}`
}
