import type { Call } from '#/call.ts'
import type { WantedRule } from '#/firewall/rules.ts'

/** The rule itself, which no record has any more once it is removed. */
export function noteRule(
  { note }: Pick<Call, 'note'>,
  { name, action, source, protocol, port }: WantedRule,
): void {
  for (const [member, value] of Object.entries({ name, action, source, protocol, port }))
    note.property(member, value)
}
