import type { Operation } from '@fleet/contract'
import { type ErrorRegistry, errorCodes } from '#/error-codes.ts'
import { accessTexts, groups, groupTexts } from '#/groups.ts'
import { httpRoute } from '#/http-table.ts'
import { inputSchema, type JsonSchema } from '#/json-schema.ts'
import { cliField } from './field.ts'
import type { CliCommand, CliFamily, CliField, CliTree } from './types.ts'

/** The command tree of the operations: families in the order of the groups, commands by name, and the types of events. */
export function cliTree(
  operations: readonly Operation[],
  registry: ErrorRegistry,
  events: readonly string[] = [],
): CliTree {
  const listed = new Set(operations.filter(({ name }) => /^[^:]+:list$/.test(name)).map(familyOf))
  return {
    families: families(operations),
    commands: Object.fromEntries(operations.map((operation) => [operation.name, command(operation, listed)])),
    errors: Object.fromEntries(
      Object.entries(registry).map(([code, { status, message, retry }]) => [
        code,
        { status, message, retry },
      ]),
    ),
    events,
  }
}

const familyOf = ({ name }: Operation): string => name.slice(0, name.indexOf(':'))

function families(operations: readonly Operation[]): readonly CliFamily[] {
  const byGroup = operations.toSorted((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group))
  return [...Map.groupBy(byGroup, familyOf)].map(([name, members]) => ({
    name,
    summary: members[0] ? groupTexts[members[0].group] : '',
    commands: members.map((operation) => operation.name).toSorted(),
  }))
}

function command(operation: Operation, listed: ReadonlySet<string>): CliCommand {
  const route = httpRoute(operation)
  const fields = fieldsOf(operation, listed)
  const positions = [
    ...new Set([
      ...route.params.filter((name) => !operation.positional?.includes(name)),
      ...(operation.positional ?? []),
    ]),
  ]
  return {
    name: operation.name,
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    access: accessTexts[operation.access],
    method: route.method,
    path: route.path,
    kind: operation.kind,
    ...(operation.maxAnswerBytes === undefined ? {} : { maxAnswerBytes: operation.maxAnswerBytes }),
    creates: route.creates,
    destructive: route.destructive,
    ...(operation.watchable === undefined ? {} : { watchable: operation.watchable }),
    ...(operation.changesWith === undefined ? {} : { changesWith: operation.changesWith }),
    ...(operation.extension === undefined ? {} : { extension: operation.extension }),
    arguments: positions.flatMap((name) => fields.find(({ member }) => member === name) ?? []),
    options: fields.filter(({ member }) => !positions.includes(member)).map(askedIfSecret),
    errors: errorCodes(operation),
  }
}

const askedIfSecret = (field: CliField): CliField => (field.secret ? { ...field, asked: true } : field)

function fieldsOf(operation: Operation, listed: ReadonlySet<string>): readonly CliField[] {
  const { members } = httpRoute(operation)
  const schema = inputSchema(operation)
  return Object.entries(members).map(([member, place]) => {
    const property = schema.properties?.[member]
    const required = schema.required?.includes(member) === true
    return cliField(
      {
        member,
        place,
        required,
        refers: refersTo(operation, member, listed),
        refersBy: familyMember(member, schema.properties ?? {}, listed),
      },
      typeof property === 'object' ? property : {},
    )
  })
}

/** The family of the record that a member names: by the path parameter's 404 code, or by a name such as `target_node_id`. */
function refersTo(operation: Operation, member: string, listed: ReadonlySet<string>): string | undefined {
  const codes: Readonly<Record<string, string | undefined>> = operation.unknown
  const family = /^(.+)\.not_found$/.exec(codes[member] ?? '')?.[1] ?? /(?:^|_)([a-z]+)_id$/.exec(member)?.[1]
  return family !== undefined && listed.has(family) ? family : undefined
}

/** The member that says whose record `target_id` names: `target_type`, where each of its words is a family with a list. */
function familyMember(
  member: string,
  properties: NonNullable<JsonSchema['properties']>,
  listed: ReadonlySet<string>,
): string | undefined {
  if (!member.endsWith('_id')) return undefined
  const name = member.replace(/_id$/, '_type')
  const type = properties[name]
  const families = typeof type === 'object' ? type.enum : undefined
  return families?.every((family) => listed.has(String(family))) ? name : undefined
}
