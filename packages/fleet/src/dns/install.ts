import { createHash } from 'node:crypto'
import { fail } from '@fleet/contract'
import { MalformedOutput } from '@fleet/shell'
import { answerOf } from '#/dns/commands/answers.ts'
import { inspectDns, readDnsState, stands } from '#/dns/commands/inspect.ts'
import { installDns, installReasons } from '#/dns/commands/install.ts'
import { removeDns, removeReasons } from '#/dns/commands/remove.ts'
import { type DnsParts, placesOf } from '#/dns/parts.ts'
import { releaseOf } from '#/dns/release.ts'
import { upstreamsOf } from '#/dns/upstreams.ts'
import { tunnelRange } from '#/network/api.ts'
import { executableFor, executableStateOf, identityOf, type Machine, settleExecutable } from '#/nodes/api.ts'

const INSPECT_SECONDS = 60
const INSTALL_SECONDS = 180

/** Installs what differs; one round trip when nothing does. Throws `dns.*`, `cli.*`, `vpn.*` and the codes of Machine. */
export async function installOn(
  parts: DnsParts,
  machine: Machine,
  { force }: { readonly force: boolean },
): Promise<'applied' | 'unchanged'> {
  const { dns, executable } = placesOf(parts)
  const address = addressOf(machine)
  const isTunnel = await tunnelOf(parts)
  const answer = answerOf(
    machine.node,
    await machine.asRoot(inspectDns(dns, executable), { timeoutSeconds: INSPECT_SECONDS }),
  )
  const found = parsed(machine, () => ({ program: executableStateOf(answer), dns: readDnsState(answer) }))
  if (!found.dns.hasDnsmasq)
    throw fail('dns.package_missing', { details: { node: identityOf(machine.node) } })
  const { sha256: program } = await executableFor(machine, parts.executables, found.program.architecture)
  const release = releaseOf({ address, program, upstreams: upstreamsOf(found.dns.resolver, isTunnel) })
  if (!force && stands(found.dns, release, sha256)) return 'unchanged'
  await settleExecutable(machine, parts.executables, found.program, executable)
  const command = installDns(dns, executable, release)
  const result = await machine.asRoot(command, { timeoutSeconds: INSTALL_SECONDS })
  const installed = answerOf(machine.node, result, installReasons).get('installed')?.toString()
  if (installed !== release.id) throw broken(machine)
  return 'applied'
}

export async function removeFrom(parts: DnsParts, machine: Machine): Promise<void> {
  const result = await machine.asRoot(removeDns(placesOf(parts).dns), { timeoutSeconds: INSPECT_SECONDS })
  if (!answerOf(machine.node, result, removeReasons).has('removed')) throw broken(machine)
}

async function tunnelOf({ network }: DnsParts): Promise<(address: string) => boolean> {
  const settings = await network.settings()
  return settings ? tunnelRange(settings) : () => false
}

function addressOf(machine: Machine): string {
  const { wireguard_ip: address } = machine.node
  if (address === null)
    throw fail('vpn.peer_address_missing', { details: { node: identityOf(machine.node) } })
  return address
}

function parsed<T>(machine: Machine, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof MalformedOutput ? broken(machine, error) : error
  }
}

const broken = ({ node }: Machine, cause?: unknown) =>
  fail('dns.publication_failed', { details: { node: identityOf(node) }, cause })

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
