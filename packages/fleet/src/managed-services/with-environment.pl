# Becomes a command that has the variables of a file besides its own, as systemd reads an EnvironmentFile, but as the user who
# may change that file: FILE, names that it must not set, and the command. A file that cannot be read sets nothing.
my ($file, $kept, @command) = @ARGV;
my %kept = map { $_ => 1 } split / /, $kept;
my $text = '';
if (open my $in, '<', $file) { local $/; $text = <$in> // '' }
sub bare {
  my ($text) = @_;
  my ($value, $end) = ('', 0);
  while ($text =~ /\\[\n\r]|\\(.)|(.)/gs) {
    next unless defined $1 or defined $2;
    $value .= $1 // $2;
    $end = length $value if defined $1 or $2 !~ /[ \t]/;
  }
  return substr $value, 0, $end;
}
sub quoted {
  my ($value) = @_;
  $value =~ s/\\(.)/index('"\\`$', $1) >= 0 ? $1 : $1 eq "\n" ? '' : "\\$1"/ges;
  return $value;
}
for ($text) {
  while (/\G[ \t\n\r]*/gc and not /\G\z/gc) {
    next if /\G[#;][^\n\r]*/gc;
    my ($name) = /\G([^=\n\r]*)/gc;
    next unless /\G=/gc;
    my $value = '';
    while (/\G[ \t]*/gc) {
      if (/\G'([^']*)'?/gc) { $value .= $1 }
      elsif (/\G"((?:\\.|[^\\"])*)\\?"?/gcs) { $value .= quoted $1 }
      else { /\G((?:\\.|[^\\\n\r])*)\\?/gcs; $value .= bare $1; last }
    }
    $name =~ s/[ \t]+\z//;
    $ENV{$name} = $value if $name =~ /\A[A-Za-z_][A-Za-z0-9_]*\z/ and not $kept{$name} and index($value, "\0") < 0;
  }
}
exec { $command[0] } @command;
print STDERR "$command[0]: $!\n";
exit 127;
