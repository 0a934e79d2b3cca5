# Sourced by tutti and mvnw: finds the JDK, Maven and the TornadoVM SDK, and starts none of them to find it.
# For bash 3.2, macOS's own. bin/toolchain.cmd is its twin for Windows.

jdk_feature=25
tornado_version=5.2.0-jdk25

die() {
  printf 'tutti: %s\n' "$1" >&2
  exit 1
}

# follow FILE: prints where a chain of symbolic links ends (macOS's readlink had no -f for long).
follow() {
  local file=$1 link
  while [ -L "$file" ]; do
    link=$(readlink "$file")
    case $link in
      /*) file=$link ;;
      *) file=${file%/*}/$link ;;
    esac
  done
  printf '%s\n' "$file"
}

# is_jdk DIR: whether it holds a compiler of our feature version, going by the `release` file that every JDK carries.
is_jdk() {
  [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 1
  local line
  while IFS= read -r line; do
    case $line in
      "JAVA_VERSION=\"$jdk_feature"[\".+-]*) return 0 ;;
    esac
  done <"$1/release"
  return 1
}

# use_jdk DIR…: makes JAVA_HOME the first of them that is a JDK for us.
use_jdk() {
  local dir
  for dir in "$@"; do
    if is_jdk "$dir"; then
      export JAVA_HOME=$dir
      return 0
    fi
  done
  return 1
}

use_jdk_on_path() {
  local dir javac IFS=:
  for dir in $PATH; do
    [ -x "$dir/javac" ] || continue
    javac=$(follow "$dir/javac")
    use_jdk "${javac%/bin/*}" && return 0
  done
  return 1
}

use_jdk_installed() {
  use_jdk /usr/lib/jvm/* "$sdkman"/java/* && return 0
  if [ -x /usr/libexec/java_home ]; then
    use_jdk "$(/usr/libexec/java_home -v "$jdk_feature" 2>/dev/null)" && return 0
  fi
  local prefix
  for prefix in /opt/homebrew /usr/local; do
    use_jdk "$prefix/opt/openjdk@$jdk_feature/libexec/openjdk.jdk/Contents/Home" \
      "$prefix/opt/openjdk/libexec/openjdk.jdk/Contents/Home" && return 0
  done
  return 1
}

# find_jdk: exports JAVA_HOME, or ends the script with a line that says how to install a JDK.
find_jdk() {
  use_jdk "${JAVA_HOME-}" || use_jdk_on_path || use_jdk_installed || die "no JDK $jdk_feature found; install one: $(
    install_command "openjdk-$jdk_feature-jdk" "java-$jdk_feature-openjdk-devel" "jdk$jdk_feature-openjdk" \
      "openjdk$jdk_feature" "openjdk@$jdk_feature" "java $jdk_feature-tem"
  )"
}

# find_maven: ends the script with a line that says how to install Maven, where there is none.
find_maven() {
  command -v mvn >/dev/null || die "Maven is not on the PATH; install it: $(install_command maven maven maven maven maven maven)"
}

# install_command APT DNF PACMAN APK BREW SDKMAN: prints this system's command for a package known by these names.
install_command() {
  if [ "$(uname)" = Darwin ]; then
    echo "brew install $5"
  elif command -v apt-get >/dev/null; then
    echo "sudo apt install $1 (or: sdk install $6)"
  elif command -v dnf >/dev/null; then
    echo "sudo dnf install $2 (or: sdk install $6)"
  elif command -v zypper >/dev/null; then
    echo "sudo zypper install $2 (or: sdk install $6)"
  elif command -v pacman >/dev/null; then
    echo "sudo pacman -S $3 (or: sdk install $6)"
  elif command -v apk >/dev/null; then
    echo "apk add $4 (or: sdk install $6)"
  else
    echo "sdk install $6"
  fi
}

# is_tornado_sdk DIR: the rule of TornadoSdk.java. Sets tornado_api to the jar whose name tells the version.
is_tornado_sdk() {
  [ -r "$1/etc/tornado.backend" ] || return 1
  for tornado_api in "$1"/share/java/tornado/tornado-api-*.jar; do
    [ -r "$tornado_api" ] && return 0
  done
  return 1
}

# find_tornado_sdk: exports TORNADOVM_HOME, the folder itself rather than a link to it; or unsets it and fails.
find_tornado_sdk() {
  local dir
  for dir in "${TORNADOVM_HOME-}" "$sdkman/tornadovm/current" /opt/tornadovm; do
    if is_tornado_sdk "$dir"; then
      TORNADOVM_HOME=$(CDPATH='' cd -P -- "$dir" && pwd)
      export TORNADOVM_HOME
      tornado_api=$TORNADOVM_HOME/share/java/tornado/${tornado_api##*/}
      return 0
    fi
  done
  unset TORNADOVM_HOME tornado_api
  return 1
}

# usable_tornado_sdk: whether the kernels can be built for the SDK that was found; if not, prints why.
usable_tornado_sdk() {
  local answer
  answer=$("$JAVA_HOME/bin/java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC $collector \
    "$home/tornado-config/src/main/java/io/tutti/tornado/config/JvmOptions.java" "$TORNADOVM_HOME" 2>&1 </dev/null) && return 0
  printf '%s\n' "${answer%%$'\n'*}"
  return 1
}

sdkman=${SDKMAN_DIR:-${HOME-}/.sdkman}/candidates

# The JVM refuses to choose between two collectors: ours gives way to one that the user asks for, in any of the variables that
# JVMs and the launcher read.
collector=
asked="${TUTTI_JAVA_OPTS-} ${JDK_JAVA_OPTIONS-} ${JAVA_TOOL_OPTIONS-} ${_JAVA_OPTIONS-}"
case $asked in
  *-XX:+Use*GC*) collector=-XX:-UseSerialGC ;;
esac

# Java takes arguments and file names in the locale's encoding, on Linux; elsewhere it is UTF-8 already.
case $OSTYPE in linux*) export LC_ALL=C.UTF-8 2>/dev/null ;; esac
