import { type AddressRange, formatAddress, holds, isHostOf, parseAddress } from '#/network/addresses/range.ts'

export interface AddressSpace {
  readonly range: AddressRange
  /** Parts of the range that belong to others, such as task VMs; never given. */
  readonly reserved: readonly AddressRange[]
}

/** Whether a Node may have the address at all, taken or not. */
export function isUsable({ range, reserved }: AddressSpace, text: string): boolean {
  const address = parseAddress(text)
  if (address === undefined) return false
  return isHostOf(range, address) && !reserved.some((other) => holds(other, address))
}

/** The free addresses from the lowest on. */
export function* freeAddresses(
  { range, reserved }: AddressSpace,
  taken: ReadonlySet<string>,
): Generator<string> {
  for (let address = range.first + 1; address < range.last; address += 1) {
    const block = reserved.find((other) => holds(other, address))
    if (block) {
      address = block.last
      continue
    }
    const text = formatAddress(address)
    if (!taken.has(text)) yield text
  }
}
