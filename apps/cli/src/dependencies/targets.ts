import { fieldsOf, type GatewayLink } from '#/live/gateway-link.ts'
import { isObject, objectsIn } from '#/print/value.ts'

export interface Target {
  readonly id: number
  /** `project/instance`. */
  readonly label: string
}

/** Every Instance that the list returns, in its order (DEP-040). */
export async function allInstances(link: Pick<GatewayLink, 'ask'>): Promise<readonly Target[]> {
  return (await listed(link)).map(targetOf)
}

/** Id of the Instance behind a domain (DEP-039). Throws the codes of a target, DEX-012. */
export const instanceOfDomain = (link: Pick<GatewayLink, 'ask'>, domain: string): Promise<number> =>
  resolved(link, 'instance:resolve', { domain })

/** Id of the Instance of the calling Node that contains a directory (DEP-038). Throws the codes of a target. */
export const instanceOfDirectory = (link: Pick<GatewayLink, 'ask'>, directory: string): Promise<number> =>
  resolved(link, 'instance:resolve-directory', { directory })

async function resolved(
  link: Pick<GatewayLink, 'ask'>,
  operation: string,
  members: Readonly<Record<string, string>>,
): Promise<number> {
  return Number(fieldsOf(await link.ask(operation, members))['instance_id'])
}

async function listed(link: Pick<GatewayLink, 'ask'>): Promise<readonly unknown[]> {
  return objectsIn(await link.ask('instance:list'))
}

function targetOf(record: unknown): Target {
  const { id, name, project } = fieldsOf(record)
  const slug = isObject(project) ? project['slug'] : undefined
  return { id: Number(id), label: `${String(slug)}/${String(name)}` }
}
