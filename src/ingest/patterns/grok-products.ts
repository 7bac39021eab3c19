/** Patterns of the log lines of widespread programs, on top of those in `grok-core.ts`. */
export const PRODUCT_PATTERNS: Readonly<Record<string, string>> = {
  // Syslog
  PROG: '[\\x21-\\x5a\\x5c\\x5e-\\x7e]+',
  SYSLOGTIMESTAMP: '%{MONTH} +%{MONTHDAY} %{TIME}',
  SYSLOGPROG: '%{PROG:program}(?:\\[%{POSINT:pid}\\])?',
  SYSLOGHOST: '%{IPORHOST}',
  SYSLOGFACILITY: '<%{NONNEGINT:facility}.%{NONNEGINT:priority}>',
  SYSLOGBASE: '%{SYSLOGTIMESTAMP:timestamp} (?:%{SYSLOGFACILITY} )?%{SYSLOGHOST:logsource} %{SYSLOGPROG}:',
  SYSLOGBASE2:
    '(?:%{SYSLOGTIMESTAMP:timestamp}|%{TIMESTAMP_ISO8601:timestamp8601}) (?:%{SYSLOGFACILITY} )?%{SYSLOGHOST:logsource}+(?: %{SYSLOGPROG}:|)',
  SYSLOGLINE: '%{SYSLOGBASE2} %{GREEDYDATA:message}',
  SYSLOGPAMSESSION:
    '%{SYSLOGBASE} %{WORD:pam_module}\\(%{DATA:pam_caller}\\): session %{WORD:pam_session_state} for user %{USERNAME:username}(?: by %{GREEDYDATA:pam_by})?',
  CRON_ACTION: '[A-Z ]+',
  CRONLOG: '%{SYSLOGBASE} \\(%{USER:user}\\) %{CRON_ACTION:action} \\(%{DATA:message}\\)',
  SYSLOG5424PRINTASCII: '[!-~]+',
  SYSLOG5424PRI: '<%{NONNEGINT:syslog5424_pri}>',
  SYSLOG5424SD: '\\[%{DATA}\\]+',
  SYSLOG5424BASE:
    '%{SYSLOG5424PRI}%{NONNEGINT:syslog5424_ver} +(?:%{TIMESTAMP_ISO8601:syslog5424_ts}|-) +(?:%{IPORHOST:syslog5424_host}|-) +' +
    '(?:%{SYSLOG5424PRINTASCII:syslog5424_app}|-) +(?:%{SYSLOG5424PRINTASCII:syslog5424_proc}|-) +' +
    '(?:%{SYSLOG5424PRINTASCII:syslog5424_msgid}|-) +(?:%{SYSLOG5424SD:syslog5424_sd}|-|)',
  SYSLOG5424LINE: '%{SYSLOG5424BASE} +%{GREEDYDATA:syslog5424_msg}',

  // Web servers
  HTTPDUSER: '%{EMAILADDRESS}|%{USER}',
  HTTPD_COMMONLOG:
    '%{IPORHOST:clientip} %{HTTPDUSER:ident} %{HTTPDUSER:auth} \\[%{HTTPDATE:timestamp}\\] ' +
    '"(?:%{WORD:verb} %{NOTSPACE:request}(?: HTTP/%{NUMBER:httpversion})?|%{DATA:rawrequest})" (?:-|%{NUMBER:response}) (?:-|%{NUMBER:bytes})',
  HTTPD_COMBINEDLOG: '%{HTTPD_COMMONLOG} %{QS:referrer} %{QS:agent}',
  COMMONAPACHELOG: '%{HTTPD_COMMONLOG}',
  COMBINEDAPACHELOG: '%{HTTPD_COMBINEDLOG}',
  HTTPD20_ERRORLOG:
    '\\[%{HTTPDERROR_DATE:timestamp}\\] \\[%{LOGLEVEL:loglevel}\\] (?:\\[client %{IPORHOST:clientip}\\] )?%{GREEDYDATA:message}',
  HTTPD24_ERRORLOG:
    '\\[%{HTTPDERROR_DATE:timestamp}\\] \\[(?:%{WORD:module})?:%{LOGLEVEL:loglevel}\\] \\[pid %{POSINT:pid}(?::tid %{NUMBER:tid})?\\]' +
    '(?: \\(%{POSINT:proxy_errorcode}\\)%{DATA:proxy_message}:)?(?: \\[client %{IPORHOST:clientip}:%{POSINT:clientport}\\])?' +
    '(?: %{DATA:errorcode}:)? %{GREEDYDATA:message}',
  HTTPD_ERRORLOG: '%{HTTPD20_ERRORLOG}|%{HTTPD24_ERRORLOG}',
  SQUID3:
    '%{NUMBER:timestamp}\\s+%{NUMBER:duration}\\s%{IP:client_address}\\s%{WORD:cache_result}/%{NONNEGINT:status_code}\\s%{NUMBER:bytes}\\s' +
    '%{WORD:http_method}\\s(?:%{NOTSPACE:url})\\s(?:%{NOTSPACE:user}|-)\\s%{WORD:hierarchy_code}/(?:%{IPORHOST:server}|-)\\s(?:%{NOTSPACE:content_type}|-)',
  S3_REQUEST_LINE: '(?:%{WORD:verb} %{NOTSPACE:request}(?: HTTP/%{NUMBER:httpversion})?|%{DATA:rawrequest})',
  S3_ACCESS_LOG:
    '%{WORD:owner} %{NOTSPACE:bucket} \\[%{HTTPDATE:timestamp}\\] %{IP:clientip} %{NOTSPACE:requester} %{NOTSPACE:request_id} ' +
    '%{NOTSPACE:operation} %{NOTSPACE:key} (?:"%{S3_REQUEST_LINE}"|-) (?:%{INT:response:int}|-) (?:-|%{NOTSPACE:error_code}) ' +
    '(?:%{INT:bytes:int}|-) (?:%{INT:object_size:int}|-) (?:%{INT:request_time_ms:int}|-) (?:%{INT:turnaround_time_ms:int}|-) ' +
    '(?:%{QS:referrer}|-) (?:"?%{QS:agent}"?|-) (?:-|%{NOTSPACE:version_id})',
  ELB_REQUEST_LINE: '(?:%{WORD:verb} %{NOTSPACE:request}(?: HTTP/%{NUMBER:httpversion})?|%{DATA:rawrequest})',
  ELB_ACCESS_LOG:
    '%{TIMESTAMP_ISO8601:timestamp} %{NOTSPACE:elb} %{IP:clientip}:%{INT:clientport:int} (?:(?:%{IP:backendip}:?:%{INT:backendport:int})|-) ' +
    '%{NUMBER:request_processing_time:float} %{NUMBER:backend_processing_time:float} %{NUMBER:response_processing_time:float} ' +
    '(?:-|%{INT:elb_status_code:int}) (?:-|%{INT:backend_status_code:int}) %{INT:received_bytes:int} %{INT:bytes:int} "%{ELB_REQUEST_LINE}"',
  HAPROXYTIME: '%{HOUR:haproxy_hour}:%{MINUTE:haproxy_minute}(?::%{SECOND:haproxy_second})',
  HAPROXYDATE:
    '%{MONTHDAY:haproxy_monthday}/%{MONTH:haproxy_month}/%{YEAR:haproxy_year}:%{HAPROXYTIME:haproxy_time}.%{INT:haproxy_milliseconds}',

  // Programs on the virtual machine of Java
  JAVACLASS: '(?:[a-zA-Z$_][a-zA-Z$_0-9]*\\.)*[a-zA-Z$_][a-zA-Z$_0-9]*',
  JAVAFILE: '(?:[a-zA-Z$_0-9. -]+)',
  JAVAMETHOD: '(?:<(?:cl)?init>|[a-zA-Z$_][a-zA-Z$_0-9]*)',
  JAVASTACKTRACEPART: '%{SPACE}at %{JAVACLASS:class}\\.%{JAVAMETHOD:method}\\(%{JAVAFILE:file}(?::%{NUMBER:line})?\\)',
  JAVATHREAD: '(?:[A-Z]{2}-Processor[\\d]+)',
  JAVALOGMESSAGE: '.*',
  CATALINA_DATESTAMP: '%{MONTH} %{MONTHDAY}, 20%{YEAR} %{HOUR}:?%{MINUTE}(?::?%{SECOND}) (?:AM|PM)',
  TOMCAT_DATESTAMP: '20%{YEAR}-%{MONTHNUM}-%{MONTHDAY} %{HOUR}:?%{MINUTE}(?::?%{SECOND}) %{ISO8601_TIMEZONE}',
  CATALINALOG: '%{CATALINA_DATESTAMP:timestamp} %{JAVACLASS:class} %{JAVALOGMESSAGE:logmessage}',
  TOMCATLOG:
    '%{TOMCAT_DATESTAMP:timestamp} \\| %{LOGLEVEL:level} \\| %{JAVACLASS:class} - %{JAVALOGMESSAGE:logmessage}',

  // Databases
  POSTGRESQL: '%{DATESTAMP:timestamp} %{TZ} %{DATA:user_id} %{GREEDYDATA:connection_id} %{POSINT:pid}',
  REDISTIMESTAMP: '%{MONTHDAY} %{MONTH} %{TIME}',
  REDISLOG: '\\[%{POSINT:pid}\\] %{REDISTIMESTAMP:timestamp} \\*',
  REDISMONLOG:
    '%{NUMBER:timestamp} \\[%{INT:database} %{IP:client}:%{NUMBER:port}\\] "%{WORD:command}"\\s?%{GREEDYDATA:params}',
  MONGO_LOG: '%{SYSLOGTIMESTAMP:timestamp} \\[%{WORD:component}\\] %{GREEDYDATA:message}',
  MONGO_WORDDASH: '\\b[\\w-]+\\b',
  MONGO3_SEVERITY: '\\w',
  MONGO3_COMPONENT: '%{WORD}|-',
  MONGO3_LOG:
    '%{TIMESTAMP_ISO8601:timestamp} %{MONGO3_SEVERITY:severity} %{MONGO3_COMPONENT:component}%{SPACE}(?:\\[%{DATA:context}\\])? %{GREEDYDATA:message}',

  // Programs in Ruby
  RUBY_LOGLEVEL: '(?:DEBUG|FATAL|ERROR|WARN|INFO)',
  RUBY_LOGGER:
    '[DFEWI], \\[%{TIMESTAMP_ISO8601:timestamp} #%{POSINT:pid}\\] *%{RUBY_LOGLEVEL:loglevel} -- +%{DATA:progname}: %{GREEDYDATA:message}',
  RUUID: '[0-9a-fA-F]{32}',
  RCONTROLLER: '[^#]+',
  RACTION: '\\w+',

  // Firewalls
  CISCOTIMESTAMP: '%{MONTH} +%{MONTHDAY}(?: %{YEAR})? %{TIME}',
  CISCOTAG: '[A-Z0-9]+-%{INT}-(?:[A-Z0-9_]+)',
  CISCO_TAGGED_SYSLOG:
    '^<%{POSINT:syslog_pri}>%{CISCOTIMESTAMP:timestamp}(?: %{SYSLOGHOST:sysloghost})? ?: %%{CISCOTAG:ciscotag}:',
  CISCO_ACTION:
    'Built|Teardown|Deny|Denied|denied|requested|permitted|denied by ACL|discarded|est-allowed|Dropping|created|deleted',
  CISCO_DIRECTION: 'Inbound|inbound|Outbound|outbound',
  CISCO_INTERVAL: 'first hit|%{INT}-second interval',
  CISCO_XLATE_TYPE: 'static|dynamic',
  NETSCREENSESSIONLOG:
    '%{SYSLOGTIMESTAMP:date} %{IPORHOST:device} %{IPORHOST}: NetScreen device_id=%{WORD:device_id}%{DATA}: start_time=%{QUOTEDSTRING:start_time} ' +
    'duration=%{INT:duration} policy_id=%{INT:policy_id} service=%{DATA:service} proto=%{INT:proto} src zone=%{WORD:src_zone} ' +
    'dst zone=%{WORD:dst_zone} action=%{WORD:action} sent=%{INT:sent} rcvd=%{INT:rcvd} src=%{IPORHOST:src_ip} dst=%{IPORHOST:dst_ip} ' +
    'src_port=%{INT:src_port} dst_port=%{INT:dst_port} src-xlated ip=%{IPORHOST:src_xlated_ip} port=%{INT:src_xlated_port} ' +
    'dst-xlated ip=%{IPORHOST:dst_xlated_ip} port=%{INT:dst_xlated_port} session_id=%{INT:session_id} reason=%{GREEDYDATA:reason}',
  SHOREWALL:
    '(?:%{SYSLOGTIMESTAMP:timestamp}) (?:%{WORD:nf_host}) .*Shorewall:(?:%{WORD:nf_action1})?:(?:%{WORD:nf_action2})?.*IN=(?:%{USERNAME:nf_in_interface})?.*' +
    '(?:OUT= *MAC=(?:%{COMMONMAC:nf_dst_mac}):(?:%{COMMONMAC:nf_src_mac})?|OUT=%{USERNAME:nf_out_interface}).*SRC=(?:%{IPV4:nf_src_ip}).*DST=(?:%{IPV4:nf_dst_ip})',
};
