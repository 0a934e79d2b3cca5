@echo off
rem Maven from the PATH on JDK 25, so that every plugin sees that JDK; tornado-kernels join in where there is an SDK for them.
setlocal EnableExtensions DisableDelayedExpansion
for %%H in ("%~dp0.") do set "home=%%~fH"

call "%home%\bin\toolchain.cmd" find_jdk || exit /b 1
call "%home%\bin\toolchain.cmd" find_maven || exit /b 1
set "asked="
if defined TORNADOVM_HOME set "asked= (TORNADOVM_HOME=%TORNADOVM_HOME% is none)"
set "skipped=no TornadoVM SDK found%asked%; get one with 'sdk install tornadovm 5.2.0-jdk25-opencl', or set TORNADOVM_HOME to one"
call "%home%\bin\toolchain.cmd" find_tornado_sdk
if defined TORNADOVM_HOME call "%home%\bin\toolchain.cmd" usable_tornado_sdk || set "TORNADOVM_HOME="

rem Maven 3's own libraries are older than the JDK's warnings about what they do.
set "MAVEN_OPTS=--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow %MAVEN_OPTS%"

call mvn.cmd %*
set "status=%errorlevel%"
if defined TORNADOVM_HOME exit /b %status%
:scan
if "%~1"=="" exit /b %status%
for %%P in (test verify install deploy) do if "%~1"=="%%P" goto skipped
shift
goto scan
:skipped
echo(
echo SKIPPED tornado-kernels: %skipped%
exit /b %status%
