@rem Called with the name of a label below by tutti.cmd and mvnw.cmd: the twin of bin/toolchain.sh.
@goto :%1

rem Sets JAVA_HOME, or fails with a line that says how to install a JDK.
:find_jdk
call :use_jdk "%JAVA_HOME%" && exit /b 0
for /f "delims=" %%J in ('where javac.exe 2^>nul') do call :use_jdk "%%~dpJ.." && exit /b 0
for /d %%J in (
  "%ProgramFiles%\Eclipse Adoptium\jdk-25*"
  "%ProgramFiles%\Java\jdk-25*"
  "%ProgramFiles%\Microsoft\jdk-25*"
  "%ProgramFiles%\Zulu\zulu-25*"
  "%ProgramFiles%\Amazon Corretto\jdk25*"
  "%ProgramFiles%\BellSoft\LibericaJDK-25*"
  "%LocalAppData%\Programs\Eclipse Adoptium\jdk-25*"
) do call :use_jdk "%%~J" && exit /b 0
echo tutti: no JDK 25 found; install one: winget install EclipseAdoptium.Temurin.25.JDK>&2
exit /b 1

rem Whether a folder holds a compiler of our feature version, going by the release file that every JDK carries.
:use_jdk
if "%~1"=="" exit /b 1
if not exist "%~1\bin\javac.exe" exit /b 1
findstr /b /r "JAVA_VERSION=.25[^0-9]" "%~1\release" >nul 2>nul || exit /b 1
for %%D in ("%~1") do set "JAVA_HOME=%%~fD"
exit /b 0

rem Fails with a line that says how to install Maven, where there is none.
:find_maven
where mvn.cmd >nul 2>nul && exit /b 0
echo tutti: Maven is not on the PATH; install it: scoop install maven>&2
exit /b 1

rem Sets TORNADOVM_HOME, and tornado_api to the jar whose name tells the version; or unsets them and fails.
:find_tornado_sdk
call :use_tornado_sdk "%TORNADOVM_HOME%" && exit /b 0
if defined SDKMAN_DIR call :use_tornado_sdk "%SDKMAN_DIR%\candidates\tornadovm\current" && exit /b 0
call :use_tornado_sdk "%USERPROFILE%\.sdkman\candidates\tornadovm\current" && exit /b 0
set "TORNADOVM_HOME="
set "tornado_api="
exit /b 1

rem The rule of TornadoSdk.java.
:use_tornado_sdk
if "%~1"=="" exit /b 1
if not exist "%~1\etc\tornado.backend" exit /b 1
set "tornado_api="
for %%J in ("%~1\share\java\tornado\tornado-api-*.jar") do set "tornado_api=%%~fJ"
if not defined tornado_api exit /b 1
set "TORNADOVM_HOME=%~1"
exit /b 0

rem Whether the kernels can be built for the SDK that was found; if not, sets skipped to the reason.
:usable_tornado_sdk
set "answer=%TEMP%\tutti.%RANDOM%%RANDOM%"
"%JAVA_HOME%\bin\java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC ^
  "%home%\tornado-config\src\main\java\io\tutti\tornado\config\JvmOptions.java" "%TORNADOVM_HOME%" >nul 2>"%answer%" <nul
set "status=%errorlevel%"
if not "%status%"=="0" set /p "skipped=" <"%answer%"
del "%answer%"
exit /b %status%
