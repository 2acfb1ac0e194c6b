/** Files as `EnvironmentFile` takes them, with the variables that systemd reads from each. */
export const ENVIRONMENT_FILES: ReadonlyArray<{
  readonly text: string
  readonly variables: Readonly<Record<string, string>>
}> = [
  { text: '', variables: {} },
  { text: 'A=1', variables: { A: '1' } },
  { text: '# a=1\n;b=2\n\n  C=3\n', variables: { C: '3' } },
  { text: 'A=1\r\nB="2"\r\n', variables: { A: '1', B: '2' } },
  { text: 'A=1\nA=2\n', variables: { A: '2' } },
  { text: 'A = two words  \n', variables: { A: 'two words' } },
  { text: 'A=x#y\nB=x ;y\n', variables: { A: 'x#y', B: 'x ;y' } },
  { text: 'A==b=c\n', variables: { A: '=b=c' } },
  { text: 'no line\n=x\n1A=x\nA-B=x\nexport C=x\nD=1\n', variables: { D: '1' } },
  { text: 'A="a \\"b\\" \\\\ \\$c \\`d\\` \\n"\n', variables: { A: 'a "b" \\ $c `d` \\n' } },
  { text: 'A=\'a "b" \\n $c\'\n', variables: { A: 'a "b" \\n $c' } },
  { text: 'A="x\ny"\nB=\'x\ny\'\n', variables: { A: 'x\ny', B: 'x\ny' } },
  { text: 'A=a\\\nb\nB="a\\\nb"\n', variables: { A: 'ab', B: 'ab' } },
  { text: 'A="a" \'b\'c\n', variables: { A: 'abc' } },
  { text: 'A=a"b"c\n', variables: { A: 'a"b"c' } },
  { text: 'A=a\\ \nB=\\"x\\"\n', variables: { A: 'a ', B: '"x"' } },
  { text: 'A=ü €\n', variables: { A: 'ü €' } },
  { text: 'A=$HOME ${HOME} `id`\n', variables: { A: '$HOME ${HOME} `id`' } },
]
