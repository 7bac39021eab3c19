/**
 * The patterns that logs are commonly described with. Numbers and addresses are matched without a look at what surrounds
 * them where that takes lookahead: matching is linear in the text.
 */
export const CORE_PATTERNS: Readonly<Record<string, string>> = {
  // Words and numbers
  USERNAME: '[a-zA-Z0-9._-]+',
  USER: '%{USERNAME}',
  EMAILLOCALPART: "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+)*",
  EMAILADDRESS: '%{EMAILLOCALPART}@%{HOSTNAME}',
  INT: '(?:[+-]?[0-9]+)',
  BASE10NUM: '(?:[+-]?(?:[0-9]+(?:\\.[0-9]+)?|\\.[0-9]+))',
  NUMBER: '(?:%{BASE10NUM})',
  BASE16NUM: '(?:[+-]?(?:0x)?[0-9A-Fa-f]+)',
  BASE16FLOAT: '\\b(?:[+-]?(?:0x)?(?:[0-9A-Fa-f]+(?:\\.[0-9A-Fa-f]*)?|\\.[0-9A-Fa-f]+))\\b',
  POSINT: '\\b(?:[1-9][0-9]*)\\b',
  NONNEGINT: '\\b(?:[0-9]+)\\b',
  WORD: '\\b\\w+\\b',
  NOTSPACE: '\\S+',
  SPACE: '\\s*',
  DATA: '.*?',
  GREEDYDATA: '.*',
  QUOTEDSTRING: '(?:"(?:\\\\.|[^\\\\"])*"|\'(?:\\\\.|[^\\\\\'])*\'|`(?:\\\\.|[^\\\\`])*`)',
  QS: '%{QUOTEDSTRING}',
  UUID: '[A-Fa-f0-9]{8}-(?:[A-Fa-f0-9]{4}-){3}[A-Fa-f0-9]{12}',
  URN: "urn:[0-9A-Za-z][0-9A-Za-z-]{0,31}:(?:%[0-9a-fA-F]{2}|[0-9A-Za-z()+,.:=@;$_!*'/?#-])+",

  // Networking
  MAC: '(?:%{CISCOMAC}|%{WINDOWSMAC}|%{COMMONMAC})',
  CISCOMAC: '(?:(?:[A-Fa-f0-9]{4}\\.){2}[A-Fa-f0-9]{4})',
  WINDOWSMAC: '(?:(?:[A-Fa-f0-9]{2}-){5}[A-Fa-f0-9]{2})',
  COMMONMAC: '(?:(?:[A-Fa-f0-9]{2}:){5}[A-Fa-f0-9]{2})',
  IPV6: ipv6(),
  IPV4: `(?:${octet()}(?:\\.${octet()}){3})`,
  IP: '(?:%{IPV6}|%{IPV4})',
  HOSTNAME: '\\b(?:[0-9A-Za-z_][0-9A-Za-z_-]*)(?:\\.(?:[0-9A-Za-z_][0-9A-Za-z_-]*))*(?:\\.?|\\b)',
  HOST: '%{HOSTNAME}',
  IPORHOST: '(?:%{IP}|%{HOSTNAME})',
  HOSTPORT: '%{IPORHOST}:%{POSINT}',

  // Paths and addresses
  PATH: '(?:%{UNIXPATH}|%{WINPATH})',
  UNIXPATH: '(?:/[\\w_%!$@:.,+~-]*)+',
  TTY: '(?:/dev/(?:pts|tty(?:[pq])?)(?:\\w+)?/?(?:[0-9]+))',
  WINPATH: '(?:(?:[A-Za-z]+:|\\\\)(?:\\\\[^\\\\?*]*)+)',
  URIPROTO: '[A-Za-z](?:[A-Za-z0-9+\\-.]+)+',
  URIHOST: '%{IPORHOST}(?::%{POSINT:port})?',
  URIPATH: "(?:/[A-Za-z0-9$.+!*'(){},~:;=@#%&_\\-]*)+",
  URIPARAM: "\\?[A-Za-z0-9$.+!*'|(){},~@#%&/=:;_?\\-\\[\\]<>]*",
  URIPATHPARAM: '%{URIPATH}(?:%{URIPARAM})?',
  URI: '%{URIPROTO}://(?:%{USER}(?::[^@]*)?@)?(?:%{URIHOST})?(?:%{URIPATHPARAM})?',

  // Dates
  MONTH:
    '\\b(?:[Jj]an(?:uary|uar)?|[Ff]eb(?:ruary|ruar)?|[Mm](?:a|ä)?r(?:ch|z)?|[Aa]pr(?:il)?|[Mm]a(?:y|i)?|[Jj]un(?:e|i)?|[Jj]ul(?:y|i)?|' +
    '[Aa]ug(?:ust)?|[Ss]ep(?:tember)?|[Oo](?:c|k)?t(?:ober)?|[Nn]ov(?:ember)?|[Dd]e(?:c|z)(?:ember)?)\\b',
  MONTHNUM: '(?:0[1-9]|1[0-2]|[1-9])',
  MONTHNUM2: '(?:0[1-9]|1[0-2])',
  MONTHDAY: '(?:0[1-9]|[12][0-9]|3[01]|[1-9])',
  DAY: '(?:Mon(?:day)?|Tue(?:sday)?|Wed(?:nesday)?|Thu(?:rsday)?|Fri(?:day)?|Sat(?:urday)?|Sun(?:day)?)',
  YEAR: '(?:\\d\\d){1,2}',
  HOUR: '(?:2[0123]|[01]?[0-9])',
  MINUTE: '(?:[0-5][0-9])',
  SECOND: '(?:(?:[0-5][0-9]|60|[0-5]?[0-9])(?:[:.,][0-9]+)?)',
  TIME: '%{HOUR}:%{MINUTE}(?::%{SECOND})',
  DATE_US: '%{MONTHNUM}[/-]%{MONTHDAY}[/-]%{YEAR}',
  DATE_EU: '%{MONTHDAY}[./-]%{MONTHNUM}[./-]%{YEAR}',
  ISO8601_TIMEZONE: '(?:Z|[+-]%{HOUR}(?::?%{MINUTE}))',
  ISO8601_SECOND: '(?:%{SECOND}|60)',
  TIMESTAMP_ISO8601: '%{YEAR}-%{MONTHNUM}-%{MONTHDAY}[T ]%{HOUR}:?%{MINUTE}(?::?%{SECOND})?%{ISO8601_TIMEZONE}?',
  DATE: '%{DATE_US}|%{DATE_EU}',
  DATESTAMP: '%{DATE}[- ]%{TIME}',
  TZ: '(?:[APMCE][SD]T|UTC)',
  DATESTAMP_RFC822: '%{DAY} %{MONTH} %{MONTHDAY} %{YEAR} %{TIME} %{TZ}',
  DATESTAMP_RFC2822: '%{DAY}, %{MONTHDAY} %{MONTH} %{YEAR} %{TIME} %{ISO8601_TIMEZONE}',
  DATESTAMP_OTHER: '%{DAY} %{MONTH} %{MONTHDAY} %{TIME} %{TZ} %{YEAR}',
  DATESTAMP_EVENTLOG: '%{YEAR}%{MONTHNUM2}%{MONTHDAY}%{HOUR}%{MINUTE}%{SECOND}',
  HTTPDERROR_DATE: '%{DAY} %{MONTH} %{MONTHDAY} %{TIME} %{YEAR}',
  HTTPDATE: '%{MONTHDAY}/%{MONTH}/%{YEAR}:%{TIME} %{INT}',

  // Levels
  LOGLEVEL:
    '(?:[Aa]lert|ALERT|[Tt]race|TRACE|[Dd]ebug|DEBUG|[Nn]otice|NOTICE|[Ii]nfo(?:rmation)?|INFO(?:RMATION)?|' +
    '[Ww]arn(?:ing)?|WARN(?:ING)?|[Ee]rr(?:or)?|ERR(?:OR)?|[Cc]rit(?:ical)?|CRIT(?:ICAL)?|[Ff]atal|FATAL|' +
    '[Ss]evere|SEVERE|EMERG(?:ENCY)?|[Ee]merg(?:ency)?)',
};

function octet(): string {
  return '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9]|0[0-9]{1,2})';
}

/** Eight groups, `::` for some of them, the last two perhaps as four octets. */
function ipv6(): string {
  const group = '[0-9A-Fa-f]{1,4}';
  const dotted = `${octet()}(?:\\.${octet()}){3}`;
  const forms = [`(?:${group}:){7}(?:${group}|:)`, `(?:${group}:){6}(?::${group}|${dotted}|:)`];
  for (let before = 5; before >= 1; before--) {
    const after = 6 - before;
    const gap = after === 1 ? '' : `(?::${group}){0,${after - 1}}`;
    forms.push(`(?:${group}:){${before}}(?:(?::${group}){1,${after + 1}}|${gap}:${dotted}|:)`);
  }
  forms.push(`:(?:(?::${group}){1,7}|(?::${group}){0,5}:${dotted}|:)`);
  return `(?:(?:${forms.join('|')})(?:%[^\\s\\]]+)?)`;
}
