/** How a machine's resolver treats the tunnel's link, and what makes it so at the next start of the tunnel. */
export interface ResolverPlan {
  /**
   * `link`: the PostUp hook, from its state file. `unit`: the drop-in of the gateway's own machine.
   * `line`: the `DNS =` line of the tunnel's configuration. `none`: nothing, the machine keeps its own name servers.
   */
  readonly keeper: 'link' | 'unit' | 'line' | 'none'
  /** The fleet's DNS: the hub's tunnel address. */
  readonly server: string
  /** Routing domains in the words of resolvectl. */
  readonly domains: readonly string[]
  /** Whether names of no routing domain may go to this link too. */
  readonly isDefaultRoute: boolean
  /** The operator's server for all other names; null leaves the machine its own. */
  readonly otherServer: string | null
}

export interface ResolverFacts {
  readonly server: string
  /** Private suffix of the fleet, such as `fleet`. */
  readonly suffix: string
  readonly tld: string | null
  readonly isHub: boolean
  readonly isGateway: boolean
  /** The Node has an active role, or is just getting its first. */
  readonly isManaged: boolean
  /** `dns_server_override` of the Node. */
  readonly override: string | null
}

const EVERYTHING = '~.'

/** A machine that is no member any more: the fleet's DNS does not answer it. */
export const NO_RESOLVER: ResolverPlan = {
  keeper: 'none',
  server: '',
  domains: [],
  isDefaultRoute: false,
  otherServer: null,
}

/**
 * NODE-065, NODE-130 to NODE-132. Hub and gateway ask the fleet's DNS for private names alone: they must resolve when it is down,
 * because it is they who bring it back.
 */
export function planResolver(facts: ResolverFacts): ResolverPlan {
  const { server, suffix, tld, override } = facts
  const plan = { server, domains: [EVERYTHING], isDefaultRoute: true, otherServer: null }
  const privateOnly = { ...plan, domains: [`~${suffix}`], isDefaultRoute: false }
  if (facts.isGateway) return { ...privateOnly, keeper: 'unit' }
  if (facts.isHub) return { ...privateOnly, keeper: 'link' }
  if (override !== null) {
    const domains = [...privateOnly.domains, ...(tld === null ? [] : [`~${tld}`])]
    return { ...privateOnly, domains, keeper: 'link', otherServer: override }
  }
  return { ...plan, keeper: facts.isManaged ? 'link' : 'line' }
}

/** How each file of the tunnel begins. */
export const WRITTEN = '# Written by Fleet. Changes made here are replaced.\n'

/** Text of /etc/wireguard/fleet.dns-link; empty where there is none. */
export const linkState = (plan: ResolverPlan): string =>
  plan.keeper === 'link'
    ? `${WRITTEN}dns ${plan.server}\ndomains ${plan.domains.join(' ')}\ndefault-route ${yesNo(plan.isDefaultRoute)}\n`
    : ''

/** Text of the drop-in fleet-gateway-dns.conf; empty where there is none. A failure never holds up the tunnel. */
export const unitDropIn = (plan: ResolverPlan): string =>
  plan.keeper === 'unit'
    ? `${WRITTEN}[Service]
ExecStartPost=-/usr/bin/resolvectl dns fleet ${plan.server}
ExecStartPost=-/usr/bin/resolvectl domain fleet ${plan.domains.join(' ')}
ExecStartPost=-/usr/bin/resolvectl default-route fleet ${yesNo(plan.isDefaultRoute)}
`
    : ''

/** Text of the resolved.conf drop-in with the operator's own server; empty where there is none. */
export const otherServerDropIn = ({ otherServer }: ResolverPlan): string =>
  // The empty line resets the servers of earlier files, which would otherwise be used too.
  otherServer === null ? '' : `${WRITTEN}[Resolve]\nDNS=\nDNS=${otherServer}\nDomains=~.\n`

export const yesNo = (value: boolean): 'yes' | 'no' => (value ? 'yes' : 'no')
