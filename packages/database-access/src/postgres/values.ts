import type { Cell } from '#/access.ts'
import { binaryCell, floatCell, integerCell, jsonCell } from '#/result/cells.ts'
import { arrayCell } from './array.ts'

type Read = (text: string) => Cell

const asText: Read = (text) => text

/** By the id of the type (pg_type.dat); every other type is its text. */
const READERS: Readonly<Record<number, Read>> = {
  16: (text) => text === 't',
  17: (text) => byteaCell(text),
  20: integerCell,
  21: integerCell,
  23: integerCell,
  26: integerCell,
  114: jsonCell,
  3802: jsonCell,
  700: floatCell,
  701: floatCell,
  1114: (text) => text.replace(' ', 'T'),
  1184: (text) =>
    text
      .replace(' ', 'T')
      .replace(/\+00$/, 'Z')
      .replace(/\+00 BC$/, 'Z BC'),
  2278: () => null,
}

/** Array type → type of its elements. */
const ARRAYS: Readonly<Record<number, number>> = {
  1000: 16,
  1001: 17,
  1002: 18,
  1003: 19,
  1005: 21,
  1007: 23,
  1009: 25,
  1014: 1042,
  1015: 1043,
  1016: 20,
  1021: 700,
  1022: 701,
  1028: 26,
  1034: 1033,
  1115: 1114,
  1182: 1082,
  1183: 1083,
  1185: 1184,
  1187: 1186,
  1231: 1700,
  1270: 1266,
  1041: 869,
  651: 650,
  199: 114,
  3807: 3802,
  2951: 2950,
  143: 142,
  271: 5069,
  629: 628,
  719: 718,
  775: 774,
  791: 790,
  1017: 600,
  1018: 601,
  1019: 602,
  1027: 604,
  1040: 829,
  1561: 1560,
  1563: 1562,
  2210: 2205,
  3221: 3220,
  3643: 3614,
  3645: 3615,
  3905: 3904,
  3907: 3906,
  3909: 3908,
  3911: 3910,
  3913: 3912,
  3927: 3926,
}

/** A value as the server prints it, by the id of its type. */
export function postgresCell(text: string | null, typeId: number): Cell {
  if (text === null) return null
  const element = ARRAYS[typeId]
  if (element !== undefined) return arrayCell(text, READERS[element] ?? asText)
  return (READERS[typeId] ?? asText)(text)
}

/** `\x…`, or text when the server prints the old way. */
function byteaCell(text: string): Cell {
  if (!text.startsWith(String.raw`\x`)) return text
  return binaryCell(Buffer.from(text.slice(2, text.length - (text.length % 2)), 'hex'))
}
