/** `null` means `--no-NAME` of an option that takes a text. */
export type OptionValue = string | boolean | null
