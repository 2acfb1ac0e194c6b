import { join } from 'node:path'
import { waitFor } from '../../lab/wait.ts'
import type { Host } from '../../lab/index.ts'
import type { InstalledFleet } from './installed.ts'
import { trust } from './trust.ts'

/** Root of the ACME server, below the root of its host. */
export const AUTHORITY = 'var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt'
const SETTINGS = '/etc/fleet/gateway.env'

/** Makes a host an ACME server: Caddy's own, which proves a domain as public authorities do. Answers its directory. */
export async function serveAcme(host: Host): Promise<string> {
  const sites = `{\n\tskip_install_trust\n}\nhttps://${host.address} {\n\ttls internal\n\tacme_server\n}\n`
  await host.run(['sh', '-c', 'cat >/etc/caddy/Caddyfile && systemctl restart caddy'], { input: sites })
  const directory = `https://${host.address}/acme/local/directory`
  const verified = `openssl s_client -connect ${host.address}:443 -CAfile /${AUTHORITY} -verify_return_error`
  const isServing = async () =>
    (await host.attempt(['sh', '-c', `${verified} </dev/null`])).status === 0 ? true : undefined
  if (!(await waitFor(20, isServing))) throw new Error(`${host.name} does not serve ACME`)
  return directory
}

/** The system's trust of a host has the root of the ACME server. */
export const trustAcme = (server: Host, ...hosts: readonly Host[]): Promise<void> =>
  trust(join(server.root, AUTHORITY), 'acme', ...hosts)

/** The public DNS of a host: where it finds domains. */
export const publicName = (host: Host, address: string, domain: string): Promise<unknown> =>
  host.run(['sh', '-c', `echo '${address} ${domain}' >>/etc/hosts`])

/** The gateway names the server to every ingress from now on. */
export async function useAcme({ gateway }: InstalledFleet, directory: string): Promise<void> {
  const line = `echo FLEET_ACME_DIRECTORY=${directory} >>${SETTINGS} && systemctl restart fleet-gateway`
  await gateway.host.run(['sh', '-c', line])
  await gateway.ready()
}
